# Kubeflow Pipelines' controller of profiles, which gives each profile the store in the cluster: it gives them the platform's store instead.
import importlib.util
import json
import os

CODE = os.environ.get('TRAINYARD_PROFILE_CODE', '/hooks/sync.py')


def with_data(attachments, namespace):
    """The objects of a profile, with the platform's data in its ConfigMaps."""
    data = json.loads(os.environ['TRAINYARD_PROFILE_DATA'].replace('<namespace>', namespace))
    changed = [
        {**each, 'data': {**each.get('data', {}), **data.pop(each['metadata']['name'])}}
        if each['kind'] == 'ConfigMap' and each['metadata']['name'] in data else each for each in attachments
    ]
    if data:
        raise LookupError('the controller gives profiles no ConfigMap %s, so they would not use the store of the platform' % ', '.join(data))
    return changed


def with_store(sync):
    def changed(self, parent, attachments):
        result = sync(self, parent, attachments)
        # Namespaces without pipelines get nothing.
        if result['attachments']:
            result['attachments'] = with_data(result['attachments'], parent['metadata']['name'])
        return result
    return changed


def main():
    spec = importlib.util.spec_from_file_location('sync', CODE)
    controller = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(controller)
    server = controller.server_factory(**controller.get_settings_from_env())
    server.RequestHandlerClass.sync = with_store(server.RequestHandlerClass.sync)
    server.serve_forever()


if __name__ == '__main__':
    main()
