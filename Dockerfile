# The program and the Python package, for a user without rights: docker build -t ludovec . && docker run -it ludovec
FROM rust:1-slim-bookworm AS build
RUN apt-get update && apt-get install --yes --no-install-recommends python3-venv \
    && rm -rf /var/lib/apt/lists/*
RUN python3 -m venv /build && /build/bin/pip install --no-cache-dir 'maturin>=1.9,<2'
COPY . /source
WORKDIR /source
# The wheel runs on every x86-64 processor; AVX2 and AVX-512 code is chosen while it runs.
RUN RUSTFLAGS="" /build/bin/maturin build --release --locked --out /wheels

FROM python:3.13-slim-bookworm
COPY --from=build /wheels /wheels
RUN pip install --no-cache-dir /wheels/*.whl gymnasium && rm -rf /wheels \
    && useradd --create-home player
USER player
WORKDIR /home/player
# The page of `ludovec web` is reachable from outside with: docker run -p 8088:8088 ludovec web --host 0.0.0.0
EXPOSE 8088
ENTRYPOINT ["ludovec"]
