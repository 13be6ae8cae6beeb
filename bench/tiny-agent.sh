#!/bin/sh
# Speaks as much of Claude Code's language as an ask needs, in a megabyte: `!chain N` asks N times, each when the one before is answered.
[ "$1" = --version ] && echo '2.0.0 (Claude Code)' && exit
ask=0
say() { printf '%s\n' "$1"; }
while read -r line; do
  case $line in
  *'"subtype":"initialize"'*)
    id=${line#*'"request_id":"'}
    say '{"type":"control_response","response":{"subtype":"success","request_id":"'"${id%%'"'*}"'","response":{}}}'
    ;;
  '{"type":"user"'*)
    say "${line%?}"',"session_id":"tiny","isReplay":true}'
    left=${line#*!chain }
    left=${left%%[!0-9]*}
    while [ "${left:-0}" -gt 0 ]; do
      ask=$((ask + 1)) left=$((left - 1))
      say '{"type":"control_request","request_id":"'$ask'","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":"echo '$ask'"}}}'
      while read -r line; do case $line in '{"type":"control_response"'*) break ;; esac done
    done
    say '{"type":"result","subtype":"success","is_error":false,"duration_ms":1,"duration_api_ms":0,"num_turns":1,"result":"","session_id":"tiny","total_cost_usd":0}'
    ;;
  esac
done
