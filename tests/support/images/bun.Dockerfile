# Debian with the Bun that runs the tests, in the place where the official image has it. The certificates are this
# machine's, so that packages can be had from wherever it gets them.
ARG DEBIAN
FROM ${DEBIAN}
COPY --chown=0:0 bun /usr/local/bin/bun
COPY --chown=0:0 certificates.pem /etc/ssl/certs/ca-certificates.crt
ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt
