# The three programs in one small image: built with the Swift toolchain, run without it.
FROM swift:6.3-bookworm AS build
WORKDIR /src
COPY Package.swift ./
COPY Sources ./Sources
COPY Tests ./Tests
RUN swift build -c release --static-swift-stdlib --product bjserver \
    && swift build -c release --static-swift-stdlib --product bjbots \
    && swift build -c release --static-swift-stdlib --product bjclient \
    && mkdir /out \
    && cp .build/release/bjserver .build/release/bjbots .build/release/bjclient /out/ \
    && strip /out/*

FROM debian:bookworm-slim
COPY --from=build /out/ /usr/local/bin/
# Accounts, chips and hands: mount a volume here.
RUN install -d -o 65534 -g 65534 -m 700 /data
ENV BJ_DATA=/data
VOLUME /data
USER 65534:65534
EXPOSE 2121
CMD ["bjserver", "--listen", "0.0.0.0:2121"]
