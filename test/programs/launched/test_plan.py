import json
import os
import tempfile
import unittest

from programs.launched.plan import addressed, expand, load_plan, members_of, program_of, text_at, with_addresses

GROUP = {
    'name': 'worker', 'replicas': 2, 'first': 0, 'helper': None, 'command': ['train', '$(RANK)', '$$HOME', '$(NOBODY)'], 'inherited': ['IMAGE'],
    'refersToAll': False, 'absent': [['GONE', [[0, 0, None]]]],
    'variables': [['RANK', [[0, 1, [0]]]], ['MASTER', [[0, 1, ['<worker-0>:29500']]]], ['ATTEMPT', [[0, 1, ['0']]]], ['COPY', [[0, 1, ['$(IMAGE)/$(OTHER)']]]]],
}
PLAN = {'groups': [GROUP], 'attemptVariable': 'ATTEMPT'}


class Plan(unittest.TestCase):
    def test_is_read_from_a_file_beside_the_driver(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, 'plan.json'), 'w') as file:
                json.dump(PLAN, file)
            self.assertEqual(load_plan(folder), PLAN)

    def test_replicas_are_numbered_in_the_order_of_groups(self):
        plan = {'groups': [{'name': 'chief', 'replicas': 1, 'first': 0}, {'name': 'worker', 'replicas': 2, 'first': 1}]}
        self.assertEqual([(member.name, member.group, member.position, member.ordinal) for member in members_of(plan)],
                         [('chief-0', 0, 0, 0), ('worker-0', 1, 1, 1), ('worker-1', 1, 2, 2)])

    def test_texts_count_from_the_position_on(self):
        segments = [[0, 1, ['a', 3]], [2, 2, None]]
        self.assertEqual([text_at(segments, position) for position in range(4)], ['a3', 'a4', None, None])

    def test_an_address_with_colons_stands_in_brackets_before_a_port(self):
        addresses = {'worker-0': 'fd00::1'}
        self.assertEqual(with_addresses('<worker-0>:80 <worker-0> <worker-1>:80', addresses), '[fd00::1]:80 fd00::1 <worker-1>:80')
        self.assertEqual(addressed(PLAN), {'worker-0'})

    def test_references_are_replaced_as_a_kubelet_does(self):
        self.assertEqual(expand('$(A) $$(A) $(B) $A $', {'A': '1'}), '1 $(A) $(B) $A $')

    def test_a_program_has_its_variables_and_those_of_its_container(self):
        first, second = members_of(PLAN)
        base = {'IMAGE': 'i', 'OTHER': 'o', 'GONE': 'x'}
        command, env = program_of(PLAN, second, {'worker-0': '10.0.0.1'}, 3, base)
        self.assertEqual(command, ['train', '1', '$HOME', '$(NOBODY)'])
        # Of the container's own variables a reference reaches those that were inherited.
        self.assertEqual(env, {'IMAGE': 'i', 'OTHER': 'o', 'RANK': '1', 'MASTER': '10.0.0.1:29500', 'ATTEMPT': '3', 'COPY': 'i/$(OTHER)'})
        self.assertEqual(base, {'IMAGE': 'i', 'OTHER': 'o', 'GONE': 'x'})
        self.assertNotIn('GONE', program_of(PLAN, first, {}, 0, base)[1])
