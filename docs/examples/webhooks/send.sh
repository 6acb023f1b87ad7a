#!/bin/sh
# Signs a file as the catalog does and sends it, to try a receiver of your own:
#
#   WEBHOOK_SECRET=whsec_… ./send.sh http://127.0.0.1:8000/ ../../../schemas/events/examples/tool.updated.json
set -eu
url=$1 file=$2

id=msg_$(openssl rand -hex 12)
timestamp=$(date +%s)
key=$(printf %s "${WEBHOOK_SECRET#whsec_}" | base64 -d | od -An -v -tx1 | tr -d ' \n')
signature=v1,$({ printf '%s.%s.' "$id" "$timestamp" && cat "$file"; } |
  openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | base64)

curl -sS --max-time 15 -w '\n%{http_code}\n' "$url" --data-binary "@$file" \
  -H 'content-type: application/json' \
  -H "webhook-id: $id" -H "webhook-timestamp: $timestamp" -H "webhook-signature: $signature"
