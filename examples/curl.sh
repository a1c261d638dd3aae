#!/usr/bin/env bash
# Play two moves over REST. Needs curl, and Python to read JSON.
set -euo pipefail
service=http://127.0.0.1:8080

call() { curl --silent --show-error --fail-with-body -H 'content-type: application/json' -d "$2" "$service$1"; }
field() { python3 -c 'import json, sys; print(json.load(sys.stdin)[sys.argv[1]])' "$1"; }

curl --silent --show-error --fail "$service/v1/games/contigo-alignment"; echo
state=$(call /v1/games/contigo-alignment:start '{"seed": "7", "options": {"first": 0}}' | field state)
call /v1/states:enumerateMoves "{\"state\": \"$state\"}"; echo
state=$(call /v1/states:applyMoves "{\"state\": \"$state\", \"moves\": [{\"notation\": \"a6-a4\"}, {\"notation\": \"13+1.1\"}]}" | field state)
call /v1/states:suggestMoves "{\"state\": \"$state\", \"budget\": {\"iterations\": 1000}, \"maxSuggestions\": 1}"; echo
call /v1/states:render "{\"state\": \"$state\", \"format\": \"RENDER_FORMAT_TEXT\"}" | field content
