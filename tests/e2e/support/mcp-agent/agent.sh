#!/bin/sh
# Asks about its tree in one state after the other, over MCP and with `sse`, and leaves the answers in the archive.
cd "$SSE_SOURCE" || exit 1
ask() {
  /opt/ssebench/bin/node /usr/local/lib/client.mjs > "$SSE_ARCHIVE/$1.mcp" 2>> "$SSE_ARCHIVE/milliseconds"
  sse test > "$SSE_ARCHIVE/$1.sse"
  rm -f do-*
}
fails() { for check in "$@"; do printf 'echo %s out\necho %s err >&2\nexit 1\n' "$check" "$check" > "do-$check"; done; }

ask good
fails build poc test intent; ask build
fails poc; ask poc
fails test; ask test
fails intent; ask intent
fails poc test intent; ask all

for process in /proc/[0-9]*; do
  if tr '\0' ' ' < "$process/cmdline" 2> /dev/null | grep -q 'runtime.cjs mcp'; then
    sed -n 's/^\([UG]id\|Groups\):[[:space:]]*/\1 /p' "$process/status" > "$SSE_ARCHIVE/server"
  fi
done
sse prompt > "$SSE_ARCHIVE/prompt"
sse project > "$SSE_ARCHIVE/project"
echo new > new.txt
sse diff > "$SSE_ARCHIVE/diff"
rm new.txt
sse dialog init --agent mcp-agent
echo Looking. | sse dialog message --tokens-in 10 --tokens-out 2
sse dialog tool-start --id t1 --name bash --args '{"command":"make"}'
printf '{"type":"thinking","content":"so"}\nbroken\n' | sse dialog lines 2> "$SSE_ARCHIVE/broken"
sse dialog complete --status success
printf '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}\n' |
  sse mcp > "$SSE_ARCHIVE/stdio" 2>&1
exit 0
