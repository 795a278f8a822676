# PostgreSQL from Debian, with the interface of the official image as far as the tests and the chart use it.
ARG DEBIAN
FROM ${DEBIAN}
RUN groupadd -r -g 999 postgres \
  && useradd -r -u 999 -g 999 -d /var/lib/postgresql -s /bin/bash postgres \
  && apt-get -o Acquire::Retries=3 update -qq \
  && mkdir -p /etc/postgresql-common \
  && echo 'create_main_cluster = false' > /etc/postgresql-common/createcluster.conf \
  && DEBIAN_FRONTEND=noninteractive apt-get -o Acquire::Retries=3 install -y -qq --no-install-recommends postgresql-15 \
  && rm -rf /var/lib/apt/lists/* /var/cache/apt /usr/share/doc /usr/share/man /usr/share/locale \
  && mkdir -p /var/lib/postgresql/data /var/run/postgresql \
  && chown -R postgres:postgres /var/lib/postgresql /var/run/postgresql \
  && chmod 700 /var/lib/postgresql/data \
  && chmod 3777 /var/run/postgresql
COPY --chown=0:0 postgres-entrypoint.sh /usr/local/bin/docker-entrypoint.sh
ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/usr/lib/postgresql/15/bin \
  LANG=C.UTF-8 \
  PGDATA=/var/lib/postgresql/data
VOLUME /var/lib/postgresql/data
EXPOSE 5432
STOPSIGNAL SIGINT
ENTRYPOINT ["docker-entrypoint.sh"]
CMD ["postgres"]
