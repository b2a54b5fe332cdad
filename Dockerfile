# The command and git. The build of a release puts the binaries into the directories
# of their platforms, linux/amd64 and linux/arm64.
FROM alpine:3.24@sha256:28bd5fe8b56d1bd048e5babf5b10710ebe0bae67db86916198a6eec434943f8b

# What is scanned is mounted, and belongs to somebody else: git would refuse it.
RUN apk add --no-cache ca-certificates git \
    && git config --system --add safe.directory '*' \
    && adduser -D -u 10001 scanner

ARG TARGETPLATFORM
COPY $TARGETPLATFORM/scanner /usr/local/bin/scanner

USER scanner
WORKDIR /src
CMD ["scanner", "--help"]
