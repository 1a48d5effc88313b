# Behind the tables _trainyard_commands, _trainyard_options and _trainyard_command.
_trainyard_jobs() {
  local -a jobs
  jobs=(${(f)"$(trainyard list --output name --request-timeout 2s 2>/dev/null)"})
  compadd -- ${jobs##*/}
}
_trainyard() {
  local curcontext="$curcontext" state line
  typeset -A opt_args
  _arguments -C "${_trainyard_options[@]}" '1:command:->command' '*::argument:->argument'
  case $state in
    command) _describe -t commands command _trainyard_commands ;;
    argument) _trainyard_command "$line[1]" ;;
  esac
}
if [[ $funcstack[1] == _trainyard ]]; then
  _trainyard "$@"
else
  compdef _trainyard trainyard
fi
