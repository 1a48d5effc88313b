# Has programs started, prints what they print, and decides what follows when one of them ends.
import time

from .plan import addressed
from .policy import Budget, JobFailed, has_succeeded, verdict_of

POLL_SECONDS = 1
SETTLE_SECONDS = 5


def say(text):
    print('trainyard: ' + text, flush=True)


def names_of(members):
    return ', '.join(member.name for member in members[:16]) + (' and %d more' % (len(members) - 16) if len(members) > 16 else '')


class News:
    """Of one replica: lines, and how its program has ended (code), because its place is or will be lost (disruption), in words (what)."""

    def __init__(self, member, lines, code=None, disruption=False, what=None):
        self.member, self.lines, self.code, self.disruption = member, lines, code, disruption
        self.what = what or ('%s was asked to leave its node' % member.name if disruption else '%s ended with exit code %s' % (member.name, code))

    def is_failure(self):
        return self.disruption or self.code != 0


class Supervisor:
    def __init__(self, plan, members, cluster):
        self.plan, self.members, self.cluster, self.budget = plan, members, cluster, Budget(plan)
        self.attempt, self.done, self.since, self.addressed, self.told = 0, set(), {}, addressed(plan), {}
        # Replicas whose programs run, and those that rest, with the time when they may go on.
        self.running, self.resting = {}, []

    def run(self):
        """Returns when the job has succeeded; raises JobFailed."""
        try:
            self.start_all()
            while True:
                ends = self.next_ends()
                self.done.update(end.member.ordinal for end in ends if not end.is_failure())
                if has_succeeded(self.plan, self.done):
                    return
                self.answer([end for end in ends if end.is_failure()])
                self.wake()
        finally:
            self.stop()

    def start_all(self):
        self.done, self.resting = set(), []
        self.cluster.place_all()
        self.told = {member.name: self.cluster.address_of(member) for member in self.members}
        say('attempt %d: %s start' % (self.attempt, names_of(self.members)))
        for member in self.members:
            self.start(member)

    def start(self, member):
        self.since[member.ordinal] = time.monotonic()
        self.cluster.start(member, self.attempt)
        self.running[member.ordinal] = member

    def next_ends(self):
        """Prints what replicas have printed, and returns those that have ended."""
        if not self.running:
            time.sleep(POLL_SECONDS)
            return []
        ends = []
        for news in self.cluster.watch(list(self.running.values()), POLL_SECONDS):
            for line in news.lines:
                print('[%s] %s' % (news.member.name, line), flush=True)
            if news.code is not None:
                self.running.pop(news.member.ordinal, None)
                ends.append(news)
        return ends

    def answer(self, failures):
        trainers = [end for end in failures if self.helper(end) is None]
        for end in failures:
            if self.helper(end) == 'Ignore':
                say(end.what + ', and the job continues without it')
            elif self.helper(end) is not None or self.plan['scope'] == 'replica':
                self.rest(end)
        if trainers and self.plan['scope'] == 'gang':
            self.restart_all(trainers)

    def helper(self, end):
        """What the failure of a helper means; None for a replica that trains."""
        return self.plan['groups'][end.member.group]['helper']

    def restart_all(self, failures):
        """The replicas depend on each other: all start again."""
        # The first to fail may only have lost a peer that is being taken away.
        deadline = time.monotonic() + SETTLE_SECONDS
        while self.running and time.monotonic() < deadline and not any(end.disruption for end in failures):
            failures += [end for end in self.next_ends() if end.is_failure() and self.helper(end) is None]
        root = next((end for end in failures if end.disruption), failures[0])
        pause = self.pause_after(root)
        for end in failures + self.stop():
            if end.disruption:
                self.cluster.leave(end.member)
        self.attempt += 1
        time.sleep(pause)
        self.start_all()

    def rest(self, end):
        """The replicas are independent: this one starts again after a while, and the others go on."""
        self.resting.append((time.monotonic() + self.pause_after(end), end.member))
        if end.disruption:
            self.cluster.leave(end.member)

    def wake(self):
        """Goes on with those that have rested and have a place."""
        for entry in list(self.resting):
            when, member = entry
            if when > time.monotonic() or not self.cluster.look_for(member):
                continue
            self.resting.remove(entry)
            if member.name in self.addressed and self.cluster.address_of(member) != self.told[member.name]:
                say('the address of %s changed: all replicas restart' % member.name)
                self.stop()
                self.attempt += 1
                return self.start_all()
            self.start(member)

    def pause_after(self, end):
        verdict = 'disruption' if end.disruption else verdict_of(self.plan, end.member, end.code)
        pause = self.budget.pause(verdict, end.what, time.monotonic() - self.since[end.member.ordinal])
        say(end.what + ('; starts again in %d s' % pause if pause else '; starts again'))
        return pause

    def stop(self):
        """Stops what still runs, and returns how it ended."""
        ends, deadline = [], time.monotonic() + 10 + self.cluster.stop(list(self.running.values()))
        while self.running and time.monotonic() < deadline:
            ends += self.next_ends()
        self.running = {}
        return ends


def supervise(plan, members, cluster):
    """Exit code of the driver."""
    try:
        Supervisor(plan, members, cluster).run()
    except JobFailed as failure:
        say('the job has failed: %s' % failure)
        return 1
    say('the job has succeeded')
    return 0
