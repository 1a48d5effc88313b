import unittest

from programs.launched.plan import Member
from programs.launched.policy import Budget, JobFailed, has_succeeded, verdict_of

PLAN = {
    'groups': [{'restartPolicy': 'Never', 'helper': None}, {'restartPolicy': 'OnFailure', 'helper': None}, {'restartPolicy': 'ExitCode', 'helper': None},
               {'restartPolicy': 'Never', 'helper': 'Restart'}, {'restartPolicy': 'OnFailure', 'helper': 'Fail'}],
    'exitCodes': {'recover': [10], 'retry': [11], 'fail': [12]},
    'backoffLimit': 4,
    'disruptionLimit': None,
    'backoff': {'initialSeconds': 2, 'maxSeconds': 10, 'resetAfterSeconds': 600},
}
NEVER, ON_FAILURE, EXIT_CODE, RESTARTED_HELPER, FATAL_HELPER = range(5)
WHAT = 'worker-0 ended with exit code 1'


def pauses(failures, **changes):
    budget, found = Budget({**PLAN, **changes}), []
    for verdict, ran in failures:
        try:
            found.append(budget.pause(verdict, WHAT, ran))
        except JobFailed as failure:
            found.append(str(failure))
    return found


class Policy(unittest.TestCase):
    def test_verdicts(self):
        for group, code, verdict in [
            (NEVER, 1, 'fail'), (NEVER, 137, 'fail'), (NEVER, 10, 'recover'), (NEVER, 11, 'retry'), (NEVER, 12, 'fail'),
            (ON_FAILURE, 1, 'retry'), (ON_FAILURE, 12, 'fail'), (EXIT_CODE, 1, 'fail'), (EXIT_CODE, 127, 'fail'), (EXIT_CODE, 128, 'retry'),
            (EXIT_CODE, 143, 'retry'), (EXIT_CODE, 10, 'recover'), (RESTARTED_HELPER, 1, 'retry'), (FATAL_HELPER, 1, 'fail'),
        ]:
            with self.subTest(group=group, code=code):
                self.assertEqual(verdict_of(PLAN, Member('r', group, 0, 0), code), verdict)

    def test_pauses_double_up_to_the_most_restart_after_a_healthy_while_and_end_with_the_budget(self):
        self.assertEqual(pauses([('retry', 1), ('retry', 1), ('retry', 900), ('retry', 1), ('retry', 1)]),
                         [2, 4, 2, 4, 'after 4 counted restarts (spec.runPolicy.backoffLimit): ' + WHAT])

    def test_what_is_recovered_from_and_disruptions_are_not_counted_and_wait_for_nothing(self):
        self.assertEqual(pauses([('disruption', 1), ('recover', 1)] * 4 + [('retry', 1)]), [0] * 8 + [2])

    def test_disruptions_have_a_budget_of_their_own_where_the_job_gives_one(self):
        self.assertEqual(pauses([('disruption', 1), ('disruption', 1)], disruptionLimit=1),
                         [0, 'after 1 disruptions (spec.runPolicy.disruptionLimit): ' + WHAT])

    def test_a_failure_that_is_not_retried_is_the_end_in_its_own_words(self):
        self.assertEqual(pauses([('fail', 1)]), [WHAT])

    def test_all_that_count_have_to_end_well_or_one_of_them(self):
        for ordinals, one, done, wanted in [
            ([[0, 0]], False, [0], True), ([[0, 1], [3, 3]], False, [0, 1, 3], True), ([[0, 2]], False, [0, 2], False),
            ([[0, 2]], True, [1], True), ([[0, 2]], True, [7], False),
        ]:
            self.assertEqual(has_succeeded({'success': {'ordinals': ordinals, 'one': one}}, done), wanted)
