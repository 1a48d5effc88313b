# pyright: basic
"""First program of a replica, as trainyard-client sends it: installs packages, then runs the function or script of the job.

It needs nothing but Python 3.6: it runs on whatever image the job has. `trainyard_job.json`, next to it, says what to do.
"""
import json
import os
import runpy
import subprocess
import sys
import threading

HERE = os.path.dirname(os.path.abspath(__file__))


def install(packages, index_urls):
    """For this user, else for all, as an environment of its own allows only the second. What pip says is shown when both fail."""
    urls = [('--index-url', '--extra-index-url')[min(at, 1)] + '=' + url for at, url in enumerate(index_urls)]
    pip = [sys.executable, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-input'] + urls
    environment = dict(os.environ, PIP_BREAK_SYSTEM_PACKAGES='1')
    said = []
    for extra in (['--user'], []):
        # After --, a package is never an option.
        done = subprocess.run(pip + extra + ['--'] + packages, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode == 0:
            print('trainyard: installed ' + ' '.join(packages), flush=True)
            return
        said.append(done.stdout.decode('utf-8', 'replace'))
    sys.exit('trainyard: pip cannot install ' + ' '.join(packages) + ':\n' + '\n'.join(said))


def searched(space):
    """Values of the hyperparameter search, in the types of the search space."""
    values = json.loads(os.environ.get('TRAINYARD_HYPERPARAMETERS') or '{}')
    return {name: convert(values[name], kind) for name, kind in space.items() if name in values}


def convert(text, kind):
    if kind == 'int':
        return int(text) if text.lstrip('-').isdigit() else int(float(text))
    if kind == 'float':
        return float(text)
    # A list of values: the one that is written like this.
    return next((value for value in kind if str(value) == text), text)


def report(objective, result):
    """Prints what a function of a search returns, where the operator looks for the objective."""
    if os.environ.get('RANK', os.environ.get('OMPI_COMM_WORLD_RANK', '0')) != '0':
        return
    values = result if isinstance(result, dict) else {objective: result}
    for name, value in values.items():
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            print('%s=%r' % (name, value), flush=True)


def run(job):
    space = job.get('search') or {}
    values = searched(space)
    if 'script' in job:
        arguments = job['arguments']
        for name, value in values.items():
            arguments = [each.replace('$(' + name + ')', str(value)) for each in arguments]
        script = os.path.join(HERE, job['script'])
        sys.argv = [script] + arguments
        sys.path.insert(0, os.path.dirname(script))
        runpy.run_path(script, run_name='__main__')
        return
    function = getattr(__import__(job['module']), job['function'])
    result = function(**dict(job['arguments'], **values))
    if 'objective' in job:
        report(job['objective'], result)


def end_with_parent():
    """On a laptop: when the program that started the job is gone, its end of the pipe is closed."""
    while os.read(0, 4096):
        pass
    os._exit(143)


def main():
    with open(os.path.join(HERE, 'trainyard_job.json'), encoding='utf-8') as file:
        job = json.load(file)
    if os.environ.pop('TRAINYARD_CLIENT_LOCAL', None):
        threading.Thread(target=end_with_parent, daemon=True).start()
        run(job)
    elif '--run' in sys.argv[1:]:
        run(job)
    else:
        if job.get('packages'):
            install(job['packages'], job.get('indexUrls') or [])
        launcher = job.get('launcher')
        if launcher is None:
            run(job)
        else:
            sys.stdout.flush()
            command = launcher + [os.path.abspath(__file__), '--run']
            try:
                os.execvp(command[0], command)
            except FileNotFoundError:
                sys.exit('trainyard: the image has no %s. Use an image of the framework, or another framework=.' % command[0])


if __name__ == '__main__':
    main()
