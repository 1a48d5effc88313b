/** What the commands of pages need that no page gives them, how some end, and which are not run. Tests fail for entries that no page has. */

const CLOUD = 'needs an account of Google Cloud';
const PULUMI = 'needs the program pulumi, and an account of Google Cloud';
const KUBELET = 'needs a pod that runs: the control plane of the tests has no kubelet';
const RECORDED = 'was recorded on a cluster on which it had run; test/cluster/cli has such a cluster';
const SUITE = 'is of this repository, and runs in .ci/run';

/** Every command of a page that is not run, and why. A command that is neither here nor run fails `pages.test.ts`. */
export const NOT_RUN: { readonly [command: string]: string } = {
  'npm ci && npm run demo': 'installs JAX; test/frameworks runs the quickstart',
  'npm run demo': 'installs JAX; test/frameworks runs the quickstart',
  'npx trainyard run examples/quickstart/main.ts': 'needs JAX; test/frameworks runs the quickstart',
  'npx trainyard run examples/quickstart/main.ts # a cdk8s app; or the folder of a cdk8s project': 'needs JAX; test/frameworks runs the quickstart',
  'npx trainyard run examples/elastic/main.ts': 'needs PyTorch; test/frameworks runs such a script',
  'npm ci && npm test': SUITE,
  'git clone https://github.com/trainyard/trainyard.git && (cd trainyard && npm ci && npm pack)':
    'is what the set-up of this suite does, in the clone that it runs in',
  'pip install ./trainyard/python/trainyard-progress': 'needs a clone in the reader\'s folder; test/python builds and imports the package',
  'pip install ./trainyard/python/trainyard-client': 'needs a clone in the reader\'s folder; test/cluster/python-client installs the package and runs the page',
  'python3 main.py': 'needs the package for Python; test/outside/python.test.ts runs the page\'s program',
  'trainyard validate .': 'needs the package for Python; test/outside/python.test.ts runs the command in the folder of such a program',
  'npm ci && npm run compile && npm run package:python': SUITE,
  'npm ci && npm run compile && npm run package:java': SUITE,
  'npm ci && npm run compile && npm run package:go': SUITE,
  'go mod tidy && go run ./quickstart': 'needs the package for Go; test/outside/java-and-go.test.ts runs the page\'s program',
  'pip install dist/python/trainyard-*.whl': 'needs a clone; test/outside/python.test.ts builds and installs the package',
  'kubectl -n team-a annotate mltj bert ml.collabnix.io/notify=done,failures': 'annotates a job that no page creates; test/cluster/notifications has jobs with the annotation',
  'npm run bench': 'measures for half an hour',
  'npm run bench -- --only scale': 'measures for hours',
  'npm run bench:synth': 'measures for minutes',
  'npm run control-plane:install': SUITE,
  'TRAINYARD_SEED=1000042 TRAINYARD_HISTORIES=1 npx jest --selectProjects histories': SUITE,
  'npx trainyard COMMAND --help': 'COMMAND stands for any; the page of each command shows its --help, which is run',
  'npx trainyard env FILE [--engine NAME] [--rank N] [--role NAME] [--job NAME]': 'a synopsis; the page has the command itself below',
  'npm install @pulumi/pulumi@^3 @pulumi/gcp@^9 @pulumi/kubernetes@^4': 'half a gigabyte; test/docs/stacks-page.e2e.test.ts runs the programs with the same packages',
  'npm install': 'of a program of Pulumi: half a gigabyte; test/docs/stacks-page.e2e.test.ts runs such programs with the same packages',
  'pulumi preview --json --show-sames > preview.json': PULUMI,
  'trainyard cost preview.json --prices prices.yaml': 'reads what pulumi preview writes; test/cli/cost reads such a file',
  'pulumi stack init dev': PULUMI,
  'pulumi config set gcp:project YOUR_PROJECT': PULUMI,
  'pulumi config set --secret databasePassword "$(openssl rand -base64 24)"': PULUMI,
  'pulumi config set --secret dexClientSecret "$(openssl rand -hex 16)"': PULUMI,
  'pulumi config set --secret cookieSecret "$(openssl rand -hex 16)"': PULUMI,
  'pulumi config set --secret googleClientSecret SECRET_OF_YOUR_OAUTH_CLIENT': PULUMI,
  'pulumi preview': PULUMI,
  'pulumi up': PULUMI,
  'pulumi stack output checkpoints': PULUMI,
  'gcloud pubsub topics publish datasets --message \'{"dataset": "digits"}\'': CLOUD,
  'git add manifests && git commit -m \'A platform, a team and its jobs\' && git push': 'pushes to a repository of the reader\'s; test/cluster/gitops does so to its own',
  'kind create cluster --name ml --image kindest/node:v1.34.0': 'needs Docker',
  'dist/kubeflow-local/apply.sh --context kind-ml': 'applies charts and kustomizations of others, which it downloads, to a cluster of kind',
  'kubectl --context kind-ml port-forward -n istio-system svc/istio-ingressgateway 8080:80': 'needs the cluster of kind, with Istio in it',
  'helm install kube-prometheus-stack prometheus-community/kube-prometheus-stack': 'needs Helm, and a cluster with nodes',
  'kubectl -n trainyard-system port-forward deploy/trainyard-operator 8081': KUBELET,
  'curl localhost:8081/metrics': KUBELET,
  'kubectl -n trainyard-system port-forward svc/trainyard-dashboard 8080:80': KUBELET,
  'kubectl logs -n ml-workloads -l role=master,job=pytorch-distributed-training -f': KUBELET,
  'kubectl logs job/net': KUBELET,
  'kubectl logs -l job=churn,ml.collabnix.io/hook=after': KUBELET,
  'kubectl logs -l job=line,ml.collabnix.io/hook=after': KUBELET,
  'kubectl logs job/checkpoints-cleanup-29400197': KUBELET,
  'kubectl -n team-a port-forward $(kubectl -n team-a get pod -l job=vision-ada -o name) 2222': KUBELET,
  'kubectl -n team-a port-forward $(kubectl -n team-a get pod -l job=vision-ada -o name) 8888': KUBELET,
  'ssh -p 2222 localhost': KUBELET,
  'trainyard diff changed.yaml --live': RECORDED,
  'trainyard diff image.yaml --live': RECORDED,
  'npx trainyard dev': RECORDED,
  'npx trainyard submit .': RECORDED,
  'npx trainyard submit fails.yaml': RECORDED,
  'npx trainyard wait hello': RECORDED,
  'npx trainyard wait fails': RECORDED,
  'npx trainyard logs hello': RECORDED,
  'npx trainyard explain fails': RECORDED,
  'trainyard explain train': 'test/docs/troubleshooting-page.test.ts compares it with what the code prints for such a job',
  'gcloud container clusters get-credentials CLUSTER --location LOCATION': CLOUD,
  'trainyard submit job.yaml': RECORDED,
  'trainyard list': RECORDED,
  'trainyard logs digits --rank 0': RECORDED,
  'trainyard wait digits': RECORDED,
  'trainyard status digits': RECORDED,
  'trainyard rerun digits --set hyperparameters.LEARNING_RATE=0.2 --watch': RECORDED,
  'trainyard logs digits-2 --grep \'epoch 4\'': RECORDED,
  'trainyard delete digits digits-2': RECORDED,
  'trainyard exec digits -- python3 -c \'import os; print("rank", os.environ["RANK"], "of", os.environ["WORLD_SIZE"])\'': RECORDED,
  'trainyard exec digits --rank 1 -- sh -c \'exit 42\'; echo $?': RECORDED,
  'trainyard exec digits -i -- wc -c < train.py': RECORDED,
  'trainyard exec digits -it -- bash': RECORDED,
  'trainyard exec digits -- nvidia-smi': RECORDED,
  'trainyard port-forward digits :tensorboard': RECORDED,
  'trainyard port-forward digits 24284:tensorboord': RECORDED,
  'trainyard port-forward digits 24284:80': RECORDED,
  'trainyard open digits': RECORDED,
  'trainyard open digits mlflow': RECORDED,
  'trainyard cp digits:/checkpoints/digits/latest .': RECORDED,
  'trainyard cp digits:/checkpoints/digits/latest/model.pt out/': RECORDED,
  'trainyard top digits': RECORDED,
  'trainyard doctor': RECORDED,
  'trainyard doctor job.yaml': RECORDED,
  'npx trainyard explain isvc/llm -n team-a      # what serves; also a schedule (cronjob/nightly) and a Deployment (deployment/NAME)':
    'needs KServe; test/cluster/cli/explain.e2e.test.ts runs it for an InferenceService',
  'trainyard explain digits': RECORDED,
  'trainyard explain waiting': RECORDED,
};

/** Commands that go on until Ctrl-C, and what they have put out when it is pressed. */
export const UNTIL: { readonly [command: string]: RegExp } = {
  'kubectl get mltj -A -w': /digits.*Completed/,
  'kubectl logs -l job=digits --prefix -f': /digits/,
  'npx trainyard ui                      # the namespace of your kubeconfig': /127\.0\.0\.1/,
  'npx trainyard ui -n team-a --port 8090': /127\.0\.0\.1/,
};

/** Commands that go on in a terminal of their own while the page's others run, and what they say when they are ready. */
export const BACKGROUND: { readonly [command: string]: RegExp } = {
  'npx trainyard dev            # --keep continues the last cluster, --port fixes the address': /Ready at/,
  'trainyard dev': /Ready at/,
};

/** Exit codes that are not 0, as their pages say. */
export const EXIT_CODES: { readonly [command: string]: number } = {
  // No operator runs the job.
  'npx trainyard logs digits': 2,
  // No operator runs.
  'npx trainyard doctor                          # the cluster and the operator': 1,
  'npx trainyard doctor job.yaml -n team-a       # and whether the jobs of a manifest or app can run there': 1,
  'npx trainyard explain digits -n team-a        # a job of a cluster; also pytorchjob/bert, trainjob/bert, jobset/x, job/x': 1,
  // The page is about a job with mistakes.
  'npx trainyard validate job.yaml jobs/ main.ts      # files, folders of files, cdk8s apps; "-" reads standard input': 1,
  // kubectl tells so a refusal, and `trainyard diff` that something differs.
  'kubectl auth can-i list pods -n speech --as jane --as-group vision@example.com': 1,
  'kubectl auth can-i get secrets --as=system:serviceaccount:trainyard-system:trainyard-operator': 1,
  'npx trainyard diff main.ts --live          # against a cluster': 1,
  'npx trainyard drift . -e prod --live           # a cluster': 1,
  'npx trainyard diff new/ --against old/     # two folders of manifests': 1,
};

/** A project with environments, synthesized. */
const WITH_ENVIRONMENTS = 'cp examples/environments/main.ts examples/environments/environments.yaml . && rm -rf dist && npx cdk8s synth';

const TEAM = 'kubectl create namespace team-a --dry-run=client -o yaml | kubectl apply -f -';

const PYTORCH_JOB = JSON.stringify({
  apiVersion: 'kubeflow.org/v1',
  kind: 'PyTorchJob',
  metadata: { name: 'bert' },
  spec: {
    pytorchReplicaSpecs: {
      Worker: { replicas: 2, template: { spec: { containers: [{ name: 'pytorch', image: 'registry.example/bert:1', command: ['python3', 'train.py'] }] } } },
    },
  },
});

const ELASTIC_JOB = JSON.stringify({
  apiVersion: 'ml.collabnix.io/v1alpha1',
  kind: 'MLTrainingJob',
  metadata: { name: 'net' },
  spec: { framework: 'pytorch', image: 'registry.example/net:1', replicas: 2, elastic: { minReplicas: 2, maxReplicas: 8 } },
});

/** What a reader has done before, in shell. */
export const BEFORE: { readonly [command: string]: string } = {
  'kubectl -n trainyard-system create secret generic dashboard-session --from-literal=key="$(openssl rand -base64 32)"':
    'kubectl create namespace trainyard-system --dry-run=client -o yaml | kubectl apply -f -',
  'mkdir my-jobs && cd my-jobs && npm init -y': 'mkdir trainyard && cp "$TARBALL" trainyard',
  'npx trainyard init': 'rm -f main.ts cdk8s.yaml tsconfig.json',
  'npx trainyard ci github       # .github/workflows/trainyard.yml, trainyard-promote.yml': 'npm pkg set scripts.lint="eslint ."',
  'npx trainyard ci github       # or gitlab': 'npm pkg set scripts.lint="eslint ."',
  'npx trainyard diff main.ts                 # against the last synth': 'mkdir -p dist && npx cdk8s synth',
  'npx trainyard diff new/ --against old/     # two folders of manifests': 'mkdir new old && cp job.yaml new && sed s/digits:1/digits:2/ job.yaml > old/job.yaml',
  'npx trainyard drift .                          # committed manifests': WITH_ENVIRONMENTS,
  'npx trainyard promote prod && npx cdk8s synth': WITH_ENVIRONMENTS,
  // The test has made it for what the program writes.
  'kubectl create namespace ml-workloads': 'kubectl delete namespace ml-workloads --timeout=90s',
  'npx trainyard explain digits -n team-a        # a job of a cluster; also pytorchjob/bert, trainjob/bert, jobset/x, job/x': `${TEAM} && kubectl -n team-a apply -f job.yaml`,
  // No operator runs here that says so.
  'kubectl patch mltj guarded --type merge -p \'{"spec":{"security":{"restricted":true,"runAsUser":1000}}}\'': `kubectl patch mltj guarded --subresource=status --type=merge -p '${JSON.stringify({ status: {
    workerStatuses: [],
    conditions: [{ type: 'Created', status: 'False', reason: 'Forbidden', message: 'violates PodSecurity', lastTransitionTime: '2026-01-31T12:00:00Z' }],
  } })}'`,
  'kubectl get pytorchjobs -A -o yaml | npx trainyard migrate - -o migrated': `echo '${PYTORCH_JOB}' | kubectl apply -f -`,
  'kubectl scale mltj/net --replicas=6': `kubectl delete mltj net && echo '${ELASTIC_JOB}' | kubectl apply -f -`,
  'kubectl -n team-a get experiment vision -o jsonpath=\'{.status.currentOptimalTrial}\'':
    `${TEAM} && CDK8S_OUTDIR=given npx tsx examples/katib/main.ts && kubectl apply -f given`,
  'kubectl apply -f dist/operator.k8s.yaml': 'CDK8S_OUTDIR=dist npx tsx examples/operator/main.ts',
  'kubectl -n trainyard-system rollout status deployment/trainyard-operator':
    'kubectl -n trainyard-system patch deployment trainyard-operator --subresource=status --type=merge -p '
    + '\'{"status": {"observedGeneration": 1, "replicas": 2, "updatedReplicas": 2, "availableReplicas": 2, "readyReplicas": 2}}\'',
  'kubectl label node gpu-7 nvidia.com/mig.config=all-small nvidia.com/device-plugin.config=inference':
    'echo \'{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "gpu-7"}}\' | kubectl apply -f -',
};
