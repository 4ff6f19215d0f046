# The command in a small image: not root, and no key inside. A key is given when the container runs.
#   docker build -t tickhaul .
#   docker run --rm -e TICKHAUL_API_KEY -v "$PWD/datasets:/data" --user "$(id -u):$(id -g)" tickhaul \
#     download deribit -t trades -s BTC-PERPETUAL --date 2024-03-01
FROM node:22-slim AS build
WORKDIR /source
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json README.md LICENSE CHANGELOG.md ./
COPY bin bin
COPY scripts scripts
COPY src src
RUN npm pack --silent --pack-destination /tmp \
 && npm install --global --prefix /opt/tickhaul /tmp/tickhaul-*.tgz

FROM node:22-slim
COPY --from=build /opt/tickhaul /opt/tickhaul
RUN install -d -o node -g node /data
# The cache has no place in /data: that may be a folder of the user's, and of another user.
ENV PATH=/opt/tickhaul/bin:$PATH \
    TICKHAUL_DIR=/data \
    XDG_CACHE_HOME=/tmp
USER node
WORKDIR /data
VOLUME /data
ENTRYPOINT ["tickhaul"]
CMD ["--help"]
