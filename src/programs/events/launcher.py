# Starts training jobs from a template, one for each event or time.
import base64
import hashlib
import json
import os
import ssl
import time
import urllib.error
import urllib.parse
import urllib.request

FOLDER = os.path.dirname(os.path.abspath(__file__))
CREDENTIALS = os.environ.get('TRAINYARD_LAUNCHER_CREDENTIALS', '/var/run/secrets/kubernetes.io/serviceaccount')

# A variable of a container has at most 128 KiB, and base64 makes four characters of three.
LARGEST_EVENT = 90 * 1024


class Refused(Exception):
    """What no second try will change."""


def say(text):
    # Parts of it come from others, and nothing in them may control a terminal.
    print(''.join(each if each.isprintable() else each.encode('unicode_escape').decode() for each in text), flush=True)


class Api:
    """The API server, as whoever the pod is."""

    def __init__(self):
        host = os.environ['KUBERNETES_SERVICE_HOST']
        self.url = 'https://%s:%s' % ('[%s]' % host if ':' in host else host, os.environ['KUBERNETES_SERVICE_PORT'])
        tls = ssl.create_default_context(cafile=os.path.join(CREDENTIALS, 'ca.crt'))
        # No proxy leads to the API server.
        self.opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=tls))

    def request(self, method, path, body=None, content_type='application/json'):
        """Status and answer; tried again for half a minute where the server is busy or away."""
        for pause in (1, 3, 9, 15, None):
            try:
                # Tokens change while the program runs.
                with open(os.path.join(CREDENTIALS, 'token')) as file:
                    headers = {'Authorization': 'Bearer ' + file.read().strip(), 'Content-Type': content_type, 'Accept': 'application/json'}
                data = None if body is None else json.dumps(body).encode()
                with self.opener.open(urllib.request.Request(self.url + path, data, headers, method=method), timeout=30) as answer:
                    return answer.status, json.load(answer)
            except urllib.error.HTTPError as error:
                text = error.read().decode(errors='replace')
                if pause is None or error.code not in (429, 500, 502, 503, 504):
                    return error.code, message_of(text)
            except OSError:
                if pause is None:
                    raise
            time.sleep(pause)


def message_of(text):
    try:
        return str(json.loads(text).get('message'))
    except ValueError:
        return text[:500]


def id_of(*parts):
    """Twelve characters that follow from what a job is started for."""
    digest = hashlib.sha256('\0'.join(parts).encode()).digest()
    return base64.b32encode(digest)[:12].decode().lower()


def filled(value, id, event):
    """The template with the job's own part of names, and its event."""
    if isinstance(value, str):
        return value.replace('trainyard0id', id).replace('TRAINYARD-EVENT', event)
    if isinstance(value, list):
        return [filled(item, id, event) for item in value]
    if isinstance(value, dict):
        return {filled(name, id, event): filled(item, id, event) for name, item in value.items()}
    return value


def outcome(job):
    """'succeeded', 'failed', or None while the job is not at its end: whatever engine runs it."""
    status = job.get('status') or {}
    conditions = {entry.get('type') for entry in status.get('conditions') or [] if entry.get('status') == 'True'}
    if conditions & {'Succeeded', 'Complete', 'Completed'}:
        return 'succeeded'
    if 'Failed' in conditions:
        return 'failed'
    state = status.get('state') if isinstance(status.get('state'), dict) else {}
    word = str(status.get('jobDeploymentStatus') or state.get('phase') or (status.get('applicationState') or {}).get('state') or '').lower()
    if word in ('complete', 'completed'):
        return 'failed' if status.get('jobStatus') in ('FAILED', 'STOPPED') else 'succeeded'
    if word in ('failed', 'aborted', 'terminated', 'submission_failed', 'validationfailed'):
        return 'failed'
    return None


class Launcher:
    """Creates jobs of one template."""

    def __init__(self):
        self.api = Api()
        with open(os.path.join(FOLDER, 'launch.json')) as file:
            self.settings = json.load(file)
        self.path = self.settings['jobs']

    def jobs(self):
        """Jobs that were started here."""
        selector = urllib.parse.quote('ml.collabnix.io/launcher=' + self.settings['name'])
        status, answer = self.api.request('GET', '%s?labelSelector=%s' % (self.path, selector))
        if status != 200:
            raise RuntimeError('the jobs cannot be listed: %s %s' % (status, answer))
        return answer['items']

    def has_room(self):
        """Whether one more job may run."""
        most = self.settings.get('maxRunning')
        if most is None:
            return True
        running = [job for job in self.jobs() if outcome(job) is None]
        if len(running) >= most:
            say('%d of %d jobs run: messages wait' % (len(running), most))
        return len(running) < most

    def launch(self, id, event=None):
        """Creates the job of an id with what belongs to it, if it is not there yet."""
        text = '' if event is None else json.dumps(event)
        if len(text) > LARGEST_EVENT:
            raise Refused('the event has %d bytes, and a container gets at most %d: put the data into a bucket and its name into the event'
                          % (len(text), LARGEST_EVENT))
        encoded = base64.b64encode(text.encode()).decode()
        beside = [filled(entry, id, encoded) for entry in self.settings['companions']]
        for entry in beside:
            self.create(entry['path'], entry['object'])
        job = filled(self.settings['job'], id, encoded)
        name = job['metadata']['name']
        made = self.create(self.path, job)
        if made is None:
            say('job %s already exists' % name)
        else:
            say('job %s is created' % name)
        if beside:
            self.adopt(name, made, beside)
        return name

    def create(self, path, made):
        """The object as it was created; None where it had been there."""
        status, answer = self.api.request('POST', path, made)
        if status == 409:
            return None
        # Rights, quotas and definitions can still come.
        if status in (400, 422):
            raise Refused('%s %s is refused: %s' % (made['kind'], made['metadata']['name'], answer))
        if status >= 300:
            raise RuntimeError('%s %s cannot be created: %s %s' % (made['kind'], made['metadata']['name'], status, answer))
        return answer

    def adopt(self, name, job, beside):
        """What was made beside the job goes with it."""
        if job is None:
            status, job = self.api.request('GET', '%s/%s' % (self.path, name))
            if status == 404:
                return
            if status >= 300:
                raise RuntimeError('job %s cannot be read: %s %s' % (name, status, job))
        owner = {'apiVersion': job['apiVersion'], 'kind': job['kind'], 'name': name, 'uid': job['metadata']['uid']}
        for entry in beside:
            path = '%s/%s' % (entry['path'], entry['object']['metadata']['name'])
            status, answer = self.api.request('PATCH', path, {'metadata': {'ownerReferences': [owner]}}, 'application/merge-patch+json')
            if status >= 300:
                raise RuntimeError('%s cannot be given to the job: %s %s' % (path, status, answer))


def drain(launcher, source):
    """Takes messages until there are none or there is no room; a message is the queue's until its job is there."""
    refused = 0
    while launcher.has_room():
        message = source.receive()
        if message is None:
            break
        try:
            launcher.launch(id_of(source.name, message['id']), message['event'])
        except Refused as error:
            say('message %s: %s' % (message['id'], error))
            refused += 1
            source.refuse(message)
            continue
        source.acknowledge(message)
    return 1 if refused else 0
