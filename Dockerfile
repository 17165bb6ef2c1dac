# One image for the API and the workers; the command decides which one a container is.

FROM python:3.11-slim AS build
WORKDIR /build
RUN python -m venv /opt/reteval
COPY requirements/run.txt requirements/run.txt
RUN /opt/reteval/bin/pip install --no-cache-dir --require-hashes -r requirements/run.txt
COPY pyproject.toml README.md ./
COPY clients clients
COPY service service
COPY worker worker
RUN /opt/reteval/bin/pip install --no-cache-dir --no-deps --no-build-isolation .

FROM python:3.11-slim
RUN useradd --uid 10001 --create-home reteval
COPY --from=build /opt/reteval /opt/reteval
ENV PATH=/opt/reteval/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    RETEVAL_HOST=0.0.0.0 \
    RETEVAL_PORT=8642
WORKDIR /home/reteval
USER 10001
EXPOSE 8642
CMD ["python", "-m", "service", "serve"]
