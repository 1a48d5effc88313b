# What follows when a replica's program ends. The rules and their order are the operator's.


class JobFailed(Exception):
    pass


def verdict_of(plan, member, code):
    """recover: again and not counted; retry: again and counted; fail: the end."""
    helper = plan['groups'][member.group]['helper']
    if helper is not None:
        return 'retry' if helper == 'Restart' else 'fail'
    codes = plan['exitCodes']
    for verdict in ('fail', 'recover', 'retry'):
        if code in codes[verdict]:
            return verdict
    policy = plan['groups'][member.group]['restartPolicy']
    if policy == 'ExitCode':
        return 'retry' if code >= 128 else 'fail'
    return 'fail' if policy == 'Never' else 'retry'


def has_succeeded(plan, done):
    """Whether the replicas that count have ended well. done has their ordinals."""
    counting = [ordinal for first, last in plan['success']['ordinals'] for ordinal in range(first, last + 1)]
    return (any if plan['success']['one'] else all)(ordinal in done for ordinal in counting)


class Budget:
    """Counts restarts, and says how long to wait before the next one."""

    def __init__(self, plan):
        self.plan, self.restarts, self.disruptions, self.step = plan, 0, 0, 0

    def pause(self, verdict, what, ran_seconds):
        """Seconds to wait. what is the failure in words; raises JobFailed when there may be no restart."""
        plan = self.plan
        if verdict == 'fail':
            raise JobFailed(what)
        if verdict == 'disruption':
            self.disruptions += 1
            limit = plan['disruptionLimit']
            if limit is not None and self.disruptions > limit:
                raise JobFailed('after %d disruptions (spec.runPolicy.disruptionLimit): %s' % (limit, what))
            return 0
        if verdict == 'recover':
            return 0
        self.restarts += 1
        if self.restarts > plan['backoffLimit']:
            raise JobFailed('after %d counted restarts (spec.runPolicy.backoffLimit): %s' % (plan['backoffLimit'], what))
        backoff = plan['backoff']
        if ran_seconds >= backoff['resetAfterSeconds']:
            self.step = 0
        self.step += 1
        return min(backoff['maxSeconds'], backoff['initialSeconds'] * 2 ** min(self.step - 1, 30))
