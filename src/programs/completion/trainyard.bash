# Behind the tables _trainyard_value, _trainyard_options and _trainyard_arguments, which set `words` or `paths`.
_trainyard_jobs() {
  local flags=() i
  # Which cluster and namespace, as far as they have been written.
  for ((i = 2; i < COMP_CWORD - 1; i++)); do
    case ${COMP_WORDS[i]} in -n | --namespace | --context | --kubeconfig) flags+=("${COMP_WORDS[i]}" "${COMP_WORDS[i+1]}") ;; esac
  done
  words=$("${COMP_WORDS[0]}" list --output name --request-timeout 2s "${flags[@]}" 2>/dev/null | sed 's|.*/||')
}
_trainyard() {
  local word="${COMP_WORDS[COMP_CWORD]}" option='' command='' words='' paths='' i line
  COMPREPLY=()
  # --option=value comes as three words.
  if [[ $word == '=' ]]; then
    option="${COMP_WORDS[COMP_CWORD-1]}" word=''
  elif ((COMP_CWORD > 2)) && [[ ${COMP_WORDS[COMP_CWORD-1]} == '=' ]]; then
    option="${COMP_WORDS[COMP_CWORD-2]}"
  else
    option="${COMP_WORDS[COMP_CWORD-1]}"
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    if [[ ${COMP_WORDS[i]} != -* ]]; then
      command="${COMP_WORDS[i]}"
      break
    fi
  done
  if ! _trainyard_value "$command $option"; then
    if [[ $word == -* ]]; then
      _trainyard_options "$command"
    else
      _trainyard_arguments "$command"
    fi
  fi
  if [[ -n $paths ]]; then
    # The shell itself then writes what is special in names, and a slash behind folders.
    compopt -o filenames 2>/dev/null
    while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen "$paths" -- "$word")
  elif [[ -n $words ]]; then
    while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -W "$words" -- "$word")
  fi
}
complete -F _trainyard trainyard
