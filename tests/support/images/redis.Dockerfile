# Redis from Debian, with the interface of the official image as far as the tests and the chart use it.
ARG DEBIAN
FROM ${DEBIAN}
RUN groupadd -r -g 999 redis \
  && useradd -r -u 999 -g 999 -d /data -s /usr/sbin/nologin redis \
  && apt-get -o Acquire::Retries=3 update -qq \
  && DEBIAN_FRONTEND=noninteractive apt-get -o Acquire::Retries=3 install -y -qq --no-install-recommends redis-server \
  && rm -rf /var/lib/apt/lists/* /var/cache/apt /usr/share/doc /usr/share/man /usr/share/locale \
  && mkdir /data \
  && chown redis:redis /data
COPY --chown=0:0 redis-entrypoint.sh /usr/local/bin/docker-entrypoint.sh
VOLUME /data
WORKDIR /data
EXPOSE 6379
ENTRYPOINT ["docker-entrypoint.sh"]
CMD ["redis-server"]
