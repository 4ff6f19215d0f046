# docker build -t tickhaul . && docker build -t tickhaul-batch - < docs/recipes/aws-batch.Dockerfile
# A shell must expand the number of the job, and Batch cannot set an entry point.
FROM tickhaul
ENTRYPOINT []
