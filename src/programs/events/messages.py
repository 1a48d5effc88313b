# What the programs share that take messages from a queue.
import base64
import json
import urllib.error
import urllib.request


def fetch(method, url, headers=None, body=None, timeout=30):
    """Status and text of an answer, also of one that is an error."""
    try:
        with urllib.request.urlopen(urllib.request.Request(url, body, headers or {}, method=method), timeout=timeout) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode(errors='replace')


def content(data):
    """Bytes as they stand in an event: text where they are text."""
    try:
        return {'data': data.decode()}
    except UnicodeDecodeError:
        return {'data_base64': base64.b64encode(data).decode()}


def asker(failure):
    """A function that gives the JSON of an answer. failure: what to say of one that is an error."""
    def ask(url, headers, body):
        status, text = fetch('GET' if body is None else 'POST', url, headers, body)
        if status != 200:
            raise RuntimeError('%s: %s %s' % (failure, status, text))
        return json.loads(text)
    return ask
