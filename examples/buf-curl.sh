#!/usr/bin/env bash
# Play two moves over gRPC with buf curl, which learns the protocol by reflection. Needs buf
# (pip install buf-bin), and Python to read JSON.
set -euo pipefail
service=http://127.0.0.1:50051/tablier.v1

call() { buf curl --protocol grpc --http2-prior-knowledge -d "$2" "$service.$1"; }
field() { python3 -c 'import json, sys; print(json.load(sys.stdin)[sys.argv[1]])' "$1"; }

call GameService/GetGame '{"game": "contigo-alignment"}'
state=$(call GameService/StartGame '{"game": "contigo-alignment", "seed": 7, "options": {"first": 0}}' | field state)
state=$(call GameService/ApplyMoves "{\"state\": \"$state\", \"moves\": [{\"notation\": \"a6-a4\"}, {\"notation\": \"13+1.1\"}]}" | field state)
call AdvisorService/SuggestMoves "{\"state\": \"$state\", \"budget\": {\"iterations\": 1000}, \"maxSuggestions\": 1}"
call GameService/RenderState "{\"state\": \"$state\", \"format\": \"RENDER_FORMAT_TEXT\"}" | field content
