#!/usr/bin/env bash
# Install the client from SOURCE (a folder or a wheel) into an environment of its own at PLACE.
set -euo pipefail
source="$1" place="$2"
"${PYTHON:-python3}" -m venv "$place"
"$place/bin/pip" install --quiet --disable-pip-version-check "$source"
