# Static programs in an empty image: 'docker build .' makes one with all programs, '--target server' one with the server alone.
# The toolchain is in no image that leaves this file. The tag takes its newest patch release; pinned, it is swift:6.3.1-bookworm of 2026-04-20
# for amd64 and arm64 (docker-library/repo-info), as the CI workflow and 'BJ_SWIFT=… docker compose build' have it:
#   docker build --build-arg SWIFT=swift@sha256:6599a94ba25ccf44d707a12319da7b7e57f3d92ec2b9d62819da9a4d41f01bff .
# 'docker buildx imagetools inspect swift:6.3-bookworm' prints the digest of today's.
ARG SWIFT=swift:6.3-bookworm
FROM ${SWIFT} AS build
WORKDIR /src
# A change of a test, a script or a document leaves this layer as it is.
COPY Package.swift ./
COPY Sources ./Sources
COPY .ci/static ./.ci/static
ARG BJ_COMMIT=
# One layer: in a second one, the build would find all files changed, and begin again.
RUN BJ_COMMIT="$BJ_COMMIT" BJ_STATIC_BUILD=/build bash .ci/static /out \
    && rm -rf /build
# The data have keys of shoes.
RUN mkdir -p /empty/files /empty/tmp && mkdir -m 700 /empty/data

FROM scratch AS base
# New volumes take owner and mode of the image's folder.
COPY --from=build --chown=65534:65534 /empty/ /
ENV PATH=/bin BJ_DATA=/data BJ_CREATE=true HOME=/tmp
USER 65534:65534
EXPOSE 2121
CMD ["bjserver", "--listen", "0.0.0.0:2121"]

FROM base AS server
COPY --from=build /out/bjserver /bin/

FROM base
COPY --from=build /out/all/ /bin/
