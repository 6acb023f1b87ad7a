#!/bin/sh
# A minimal receiver of webhooks for any web server that runs CGI programs (RFC 3875):
# it needs sh, openssl, base64 and the tools of POSIX. The secret is in WEBHOOK_SECRET; SEEN_DIR is
# a directory, where each delivery leaves an empty one named after its webhook-id.
#
# openssl takes the key as an argument, which others on the machine can see for a
# moment: use another of the receivers where that matters.
set -eu

answer() { # status, text
  printf 'Status: %s\r\nContent-Type: text/plain\r\n\r\n%s' "$1" "${2-}"
  exit 0
}
digest() { openssl dgst -sha256 -r; }

id=${HTTP_WEBHOOK_ID-} timestamp=${HTTP_WEBHOOK_TIMESTAMP-} length=${CONTENT_LENGTH-}
case $length in '' | 0* | *[!0-9]* | ??????*) answer '413 Content Too Large' 'too large' ;; esac
case $timestamp in '' | 0* | *[!0-9]* | ????????????*) answer '401 Unauthorized' 'no timestamp' ;; esac
case $id in '' | *[!A-Za-z0-9_]*) answer '401 Unauthorized' 'no id' ;; esac
[ "$length" -le 20000 ] || answer '413 Content Too Large' 'too large'

age=$(($(date +%s) - timestamp))
[ "$age" -le 300 ] && [ "$age" -ge -300 ] || answer '401 Unauthorized' 'too old'

body=$(mktemp)
trap 'rm -f "$body"' EXIT
head -c "$length" >"$body"

key=$(printf %s "${WEBHOOK_SECRET#whsec_}" | base64 -d | od -An -v -tx1 | tr -d ' \n')
want=v1,$({ printf '%s.%s.' "$id" "$timestamp" && cat "$body"; } |
  openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | base64)
good=no
set -f
for signature in ${HTTP_WEBHOOK_SIGNATURE-}; do
  # Digests are compared, so that the time it takes does not tell how much was right.
  [ "$(printf %s "$signature" | digest)" = "$(printf %s "$want" | digest)" ] && good=yes
done
[ "$good" = yes ] || answer '401 Unauthorized' 'not signed by the catalog'

# The signature is good, so the body has the form that the catalog gives it. A program
# that does more than this wants a reader of JSON, such as jq.
field() { tr -d '\n' <"$body" | sed -n "s/$1.*/\\1/p"; }
type=$(field '^{ *"type": *"\([a-z.]*\)"')
challenge=$(field '.*"challenge": *"\([^"]*\)"')
if [ "$type" = webhook.test ] && [ -n "$challenge" ]; then answer '200 OK' "$challenge"; fi

# Creating the directory fails for the second of two equal deliveries.
if mkdir "$SEEN_DIR/$id" 2>/dev/null; then
  seq=$(field '.*"data": *{ *"seq": *\([0-9]*\)')
  slug=$(field '.*"data": *{[^{]*"slug": *"\([a-z0-9-]*\)"')
  echo "$type $slug $seq" >&2 # standard error is the web server's log
fi
answer '204 No Content'
