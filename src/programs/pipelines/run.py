# Starts a run of a pipeline, which it knows by its name.
import datetime
import json
import os
import sys
import urllib.error
import urllib.parse
import urllib.request

TOKEN = os.environ.get('TRAINYARD_TOKEN_FILE', '/var/run/secrets/kubeflow/pipelines/token')


def headers_with(token):
    headers = {'Content-Type': 'application/json'}
    if os.path.exists(token):
        with open(token) as file:
            headers['Authorization'] = 'Bearer ' + file.read().strip()
    return headers


class Api:
    """Kubeflow Pipelines, at an address."""

    def __init__(self, endpoint, headers):
        self.base, self.headers = endpoint.rstrip('/') + '/apis/v2beta1/', headers

    def call(self, path, body=None, **query):
        query = {name: value for name, value in query.items() if value}
        url = self.base + path + ('?' + urllib.parse.urlencode(query) if query else '')
        data = None if body is None else json.dumps(body).encode()
        try:
            with urllib.request.urlopen(urllib.request.Request(url, data=data, headers=self.headers), timeout=60) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            sys.exit('run: %s answers %d: %s' % (url, error.code, error.read().decode(errors='replace')[:500]))
        except OSError as error:
            sys.exit('run: %s does not answer: %s' % (url, error))

    def find(self, path, field, name, **query):
        """The first entry of a name, on whatever page it is; None where there is none."""
        while True:
            page = self.call(path, page_size=100, **query)
            for entry in page.get(field) or []:
                # Experiments have no other name than the one that is shown.
                if name == entry.get('name', entry.get('display_name')):
                    return entry
            query['page_token'] = page.get('next_page_token')
            if not query['page_token']:
                return None


def run_of(settings, experiment, pipeline, version, now):
    run = {
        'display_name': '%s-%s' % (settings['name'], now.strftime('%Y%m%d-%H%M%S')),
        'experiment_id': experiment,
        'pipeline_version_reference': {'pipeline_id': pipeline, 'pipeline_version_id': version},
        'runtime_config': {'parameters': settings['parameters']},
    }
    if settings.get('pipelineRoot'):
        run['runtime_config']['pipeline_root'] = settings['pipelineRoot']
    if settings.get('serviceAccount'):
        run['service_account'] = settings['serviceAccount']
    return run


def main():
    settings = json.loads(os.environ['TRAINYARD_RUN'])
    api = Api(settings['endpoint'], headers_with(TOKEN))
    namespace = settings.get('namespace')
    # An installation for one user does not find pipelines of Kubernetes by their names, but lists them.
    found = api.find('pipelines', 'pipelines', settings['pipeline'], namespace=namespace)
    if found is None:
        sys.exit('run: there is no pipeline %s' % settings['pipeline'])
    pipeline = found['pipeline_id']
    version = api.find('pipelines/%s/versions' % pipeline, 'pipeline_versions', settings['version'])
    if version is None:
        sys.exit('run: pipeline %s has no version %s' % (settings['pipeline'], settings['version']))
    experiment = api.find('experiments', 'experiments', settings['experiment'], namespace=namespace)
    if experiment is None:
        experiment = api.call('experiments', {'display_name': settings['experiment'], 'namespace': namespace or ''})
    now = datetime.datetime.now(datetime.timezone.utc)
    run = run_of(settings, experiment['experiment_id'], pipeline, version['pipeline_version_id'], now)
    print('run: started', api.call('runs', run)['run_id'])


if __name__ == '__main__':
    main()
