# Submitted by a RayJob, on the head: wants one Ray node for each replica, and starts the user's command on each of them.
import os
import signal
import sys
import time

import ray
from ray.util.placement_group import placement_group
from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy

from ..launched.plan import load_plan, members_of, program_of
from ..launched.program import Program, environment_of
from ..launched.supervisor import POLL_SECONDS, News, names_of, say, supervise

NODE_LOSS_SECONDS = 40


@ray.remote(num_cpus=0, max_restarts=0, max_concurrency=4)
class Replica:
    """Runs one replica's program on its node."""

    def __init__(self):
        # Ray changes the environment of its workers (devices, threads). Their parent has that of the container.
        parent = '/proc/%d/' % os.getppid()
        self.program = Program(environment_of(parent))
        self.folder = os.readlink(parent + 'cwd')

    def place(self):
        return ray.util.get_node_ip_address(), ray.get_runtime_context().get_node_id()

    def start(self, plan, member, addresses, attempt):
        command, env = program_of(plan, member, addresses, attempt, self.program.base)
        self.program.start(command, env, self.folder)

    def poll(self, _started):
        lines, code = self.program.poll(POLL_SECONDS)
        return lines, code, self.program.is_terminating()

    def stop(self, grace):
        self.program.stop(grace)


class RayNodes:
    """The replicas' actors, each in a bundle of its own."""

    def __init__(self, plan, members):
        self.members, self.grace = members, plan['graceSeconds']
        self.actors, self.places, self.polls, self.asked, self.leaving, self.started = {}, {}, {}, {}, {}, {}
        self.stored = ray.put(plan)
        bundles = [{'trainyard-' + plan['groups'][member.group]['name']: 1} for member in members]
        self.group = placement_group(bundles, strategy='STRICT_SPREAD')
        while not self.group.wait(60):
            say('waiting for %d Ray nodes and the head; %d are there' % (len(members), sum(node['Alive'] for node in ray.nodes())))

    def place_all(self):
        reminder = time.monotonic() + 60
        while True:
            missing = [member for member in self.members if not self.look_for(member)]
            if not missing:
                return
            if time.monotonic() > reminder:
                say('waiting for Ray nodes for %s' % names_of(missing))
                reminder += 60
            time.sleep(0.2)

    def look_for(self, member):
        """Makes an actor for the replica unless it has one. It has a place when the actor has told it."""
        number = member.ordinal
        if number in self.leaving:
            if not self.is_gone(self.leaving[number]):
                return False
            del self.leaving[number]
        if number in self.places:
            return True
        if number not in self.asked:
            strategy = PlacementGroupSchedulingStrategy(self.group, placement_group_bundle_index=number)
            self.actors[number] = Replica.options(scheduling_strategy=strategy).remote()
            self.asked[number] = self.actors[number].place.remote()
        if not ray.wait([self.asked[number]], timeout=0)[0]:
            return False
        try:
            self.places[number] = ray.get(self.asked.pop(number))
        except ray.exceptions.RayError:
            self.forget(member)
        return number in self.places

    def address_of(self, member):
        return self.places[member.ordinal][0]

    def start(self, member, attempt):
        addresses = {other.name: self.address_of(other) for other in self.members if other.ordinal in self.places}
        self.polls.pop(member.ordinal, None)
        self.started[member.ordinal] = self.actors[member.ordinal].start.remote(self.stored, member, addresses, attempt)

    def watch(self, members, seconds):
        for member in members:
            if member.ordinal not in self.polls:
                # An actor with several threads answers in any order: nothing before the program has been started.
                self.polls[member.ordinal] = self.actors[member.ordinal].poll.remote(self.started[member.ordinal])
        refs = {self.polls[member.ordinal]: member for member in members}
        ready = ray.wait(list(refs), num_returns=len(refs), timeout=min(seconds, 0.25))[0]
        return [self.news(refs[ref], ref) for ref in ready]

    def news(self, member, ref):
        del self.polls[member.ordinal]
        try:
            lines, code, terminating = ray.get(ref)
            return News(member, lines, code, terminating and code is not None)
        except ray.exceptions.RayError as error:
            gone = self.is_gone(self.places[member.ordinal][1], NODE_LOSS_SECONDS)
            self.forget(member)
            reason = str(error).strip().splitlines()[0]
            return News(member, [], 137, gone, '%s was lost with its %s (%s)' % (member.name, 'node' if gone else 'process', reason))

    @staticmethod
    def is_gone(node, seconds=0):
        """Whether a node goes within some seconds: Ray takes a while to see it."""
        deadline = time.monotonic() + seconds
        while any(found['NodeID'] == node and found['Alive'] for found in ray.nodes()):
            if time.monotonic() >= deadline:
                return False
            time.sleep(1)
        return True

    def leave(self, member):
        if member.ordinal in self.places:
            self.leaving[member.ordinal] = self.places[member.ordinal][1]
        self.forget(member)

    def forget(self, member):
        for known in (self.places, self.asked, self.polls):
            known.pop(member.ordinal, None)
        actor = self.actors.pop(member.ordinal, None)
        if actor is not None:
            ray.kill(actor)

    def stop(self, members):
        refs = [self.actors[member.ordinal].stop.remote(self.grace) for member in members if member.ordinal in self.actors]
        if refs:
            ray.wait(refs, num_returns=len(refs), timeout=self.grace + 10)
        return 0


def main():
    plan = load_plan(os.path.dirname(os.path.abspath(__file__)))
    members = members_of(plan)
    # Asked to stop (kubectl delete, a deadline): the programs are told too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    ray.init(address='auto', log_to_driver=False)
    return supervise(plan, members, RayNodes(plan, members))


if __name__ == '__main__':
    sys.exit(main())
