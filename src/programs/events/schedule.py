# The job of one time of a schedule.
import os
import sys
import time

from launcher import Launcher, Refused, filled, id_of, outcome, say


def id_of_run(pod):
    """The time that the CronJob has put behind its own name, as people write it; of a Job that somebody made by hand, its name."""
    minutes = pod.rsplit('-', 1)[-1]
    if minutes.isdigit() and len(minutes) == 8:
        return time.strftime('%Y%m%d%H%M', time.gmtime(int(minutes) * 60))
    return id_of(pod)


def remove(launcher, job):
    name = job['metadata']['name']
    status, answer = launcher.api.request('DELETE', '%s/%s' % (launcher.path, name), {'propagationPolicy': 'Background'})
    if status >= 300 and status != 404:
        raise RuntimeError('job %s cannot be deleted: %s %s' % (name, status, answer))
    say('job %s is deleted' % name)


def main():
    launcher = Launcher()
    schedule = launcher.settings['schedule']
    id = id_of_run(os.environ['JOB_NAME'])
    name = filled(launcher.settings['job'], id, '')['metadata']['name']
    policy = schedule['concurrency']
    jobs = launcher.jobs() if policy != 'Allow' or schedule['prunes'] else []
    if not any(job['metadata']['name'] == name for job in jobs):
        running = [job for job in jobs if outcome(job) is None]
        if running and policy == 'Forbid':
            say('%s runs: %s is left out' % (running[0]['metadata']['name'], name))
            return 0
        for job in running if policy == 'Replace' else []:
            remove(launcher, job)
        launcher.launch(id)
    for end, most in (('succeeded', schedule.get('successful')), ('failed', schedule.get('failed'))):
        ended = sorted((job for job in jobs if outcome(job) == end), key=lambda job: job['metadata']['creationTimestamp'], reverse=True)
        for job in ended[most:] if most is not None else []:
            remove(launcher, job)
    return 0


if __name__ == '__main__':
    try:
        sys.exit(main())
    except Refused as error:
        say(str(error))
        sys.exit(1)
