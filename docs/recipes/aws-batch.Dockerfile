# docker build -t tickhaul . && docker build -t tickhaul-batch - < docs/recipes/aws-batch.Dockerfile
# Only a shell knows the number of the job, and Batch can't set an entry point.
FROM tickhaul
ENTRYPOINT []
