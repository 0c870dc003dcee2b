# The service alone: the database is another container (compose.yaml) or exists already.
#
#     docker build -t learntrack .

FROM swift:6.3-bookworm AS build
WORKDIR /source
COPY . .
RUN apt-get update \
    && apt-get install -y --no-install-recommends dpkg-dev binutils git \
    && script/package --output /packages

FROM debian:bookworm-slim AS root
COPY --from=build /packages/learntrack_*.deb /packages/
COPY packaging/container-root /packages/
RUN apt-get update \
    && apt-get install -y --no-install-recommends /packages/learntrack_*.deb ca-certificates curl fontconfig \
        libcairo2 libpango-1.0-0 libpangocairo-1.0-0 librsvg2-2 fonts-lato fonts-dejavu-core fonts-droid-fallback fonts-lexi-gulim fonts-tlwg-loma-ttf fonts-symbola fonts-noto-color-emoji \
    && /packages/container-root /image

FROM scratch
COPY --from=root /image /
USER 10001:10001
# In a container the address to listen on is that of the container. What publishes the port decides who reaches it.
ENV LEARNTRACK_HOST=0.0.0.0 LEARNTRACK_PORT=8080 LEARNTRACK_LOG_FORMAT=json
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
    CMD ["/usr/bin/curl", "--fail", "--silent", "--show-error", "--max-time", "4", "http://127.0.0.1:8080/health/ready"]
ENTRYPOINT ["/usr/bin/learntrack"]
CMD ["serve"]
