# An agent with one fault: agent.sh STEP FAULT WAY FOLDER
#
# At STEP it does FAULT, the first time it gets there in the life of FOLDER; otherwise it behaves. WAY is how it goes on with sessions:
# resume, load or neither.
step=$1 fault=$2 way=$3 folder=$4
trickle=

# Says one line; in pieces, once the fault is to trickle.
say() {
    rest=$1
    if [ -n "$trickle" ]; then
        while [ ${#rest} -gt 16 ]; do
            tail=${rest#????????????????}
            printf %s "${rest%"$tail"}"
            sleep 0.002
            rest=$tail
        done
    fi
    printf '%s\n' "$rest"
}

update() {
    say "{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"sessionId\":\"$session\",\"update\":$1}}"
}

text() {
    update "{\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":\"text\",\"text\":\"$1\"}}"
}

reply() {
    say "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":$1}"
}

# Does the fault, if this is its step and its first time. What comes back goes on: with $mute the present call is not answered.
here() {
    mute=
    [ "$step" = "$1" ] && [ ! -e "$folder/struck" ] || return 0
    : >"$folder/struck"
    case $fault in
    kill_9) kill -9 $$ ;;
    exit_0) exit 0 ;;
    hang) exec sleep 600 ;;
    closed_stdout) exec sleep 600 >&- ;;
    garbage)
        head -c 65536 /dev/urandom
        echo
        exec sleep 600
        ;;
    long_line)
        head -c 40000000 /dev/zero | tr '\0' x
        exec sleep 600
        ;;
    silence) mute=yes ;;
    trickle) trickle=yes ;;
    esac
}

here spawn
silent=$mute
while IFS= read -r line; do
    [ -z "$silent" ] || continue
    id=${line#*\"id\":} id=${id%%,*}
    case $line in
    *'"sessionId"'*) session=${line#*\"sessionId\":\"} session=${session%%\"*} ;;
    esac
    case $line in
    *'"method":"initialize"'*)
        here initialize
        [ -z "$mute" ] || continue
        case $way in
        resume) offered='{"sessionCapabilities":{"resume":{},"close":{}}}' ;;
        load) offered='{"loadSession":true,"sessionCapabilities":{"close":{}}}' ;;
        *) offered='{"sessionCapabilities":{"close":{}}}' ;;
        esac
        reply "{\"protocolVersion\":1,\"agentCapabilities\":$offered}"
        ;;
    *'"method":"session/new"'*)
        here new
        [ -z "$mute" ] || continue
        reply "{\"sessionId\":\"session-$$\"}"
        ;;
    *'"method":"session/load"'*)
        text stored
        reply '{}'
        ;;
    *'"method":"session/resume"'*)
        reply '{}'
        ;;
    *'"method":"session/close"'*)
        here close
        [ -z "$mute" ] || continue
        reply '{}'
        ;;
    *'"method":"session/prompt"'*)
        prompt=$id
        text half
        here prompt
        [ -z "$mute" ] || continue
        if [ ! -e "$folder/struck" ]; then
            case $step in
            tool_call)
                update '{"sessionUpdate":"tool_call","toolCallId":"t","title":"Work","status":"in_progress"}'
                here tool_call
                [ -z "$mute" ] || continue
                update '{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"completed"}'
                ;;
            permission)
                options='[{"optionId":"y","name":"Yes","kind":"allow_once"}]'
                say "{\"jsonrpc\":\"2.0\",\"id\":900,\"method\":\"session/request_permission\",\"params\":{\"sessionId\":\"$session\",\"toolCall\":{\"toolCallId\":\"t\",\"title\":\"Work\",\"status\":\"pending\"},\"options\":$options}}"
                here permission
                continue
                ;;
            cancel)
                # Waits to be cancelled.
                continue
                ;;
            esac
        fi
        text ' and whole'
        reply '{"stopReason":"end_turn"}'
        ;;
    *'"id":900,"result"'*)
        # The answer to the permission.
        [ -n "$trickle" ] || continue
        update '{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"completed"}'
        text ' and whole'
        id=$prompt
        reply '{"stopReason":"end_turn"}'
        ;;
    *'"method":"session/cancel"'*)
        [ "$step" = cancel ] || continue
        here cancel
        [ -z "$mute" ] || continue
        text ' and whole'
        id=$prompt
        reply '{"stopReason":"cancelled"}'
        ;;
    esac
done
