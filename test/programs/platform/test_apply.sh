given() {
  cp "$programs/platform/apply.sh" .
  printf '00-first\n01-second\n' > components.txt
  stand_in kustomize 'echo "kustomize $*" >> log; echo "built $3"'
  # Reads its input, as programs may.
  stand_in kubectl 'cat > /dev/null
echo "kubectl $*" | sed "s#-f [^ ]*#-f FILE#" >> log
if [ "$1" = apply ] && [ -e refusals ]; then rm refusals; exit 1; fi
if [ "$1" = get ]; then echo "CustomResourceDefinition <none> things.example.com"; echo "Deployment a controller"; fi'
}

test_components_are_applied_in_their_order_and_waited_for() {
  given
  equals "$($shell apply.sh --context=ml)" "== 00-first
== 01-second"
  equals "$(sed -n 's/^kubectl \([a-z]*\) .* --context=ml$/\1/p' log | tr '\n' ' ')" 'apply get wait rollout apply get wait rollout '
}

test_what_is_refused_at_first_is_tried_again() {
  given
  : > refusals
  RETRY_SECONDS=0 $shell apply.sh > output
  equals "$(grep -c '^kubectl apply' log)" 3
}

test_what_is_refused_for_good_ends_it() {
  given
  stand_in kubectl 'exit 1'
  export RETRY_SECONDS=0
  equals "$(code_of $shell apply.sh)" 1
  contains "$(cat output)" '00-first could not be applied'
}
