/** Every example, for `npx cdk8s synth` at the root: each is a program of its own and writes its chart's file into the same folder. */
import './accelerators/main';
import './array/main';
import './auto-tuning/main';
import './elastic/main';
import './fault-tolerance/main';
import './operator/main';
import './security/main';
import './serving/main';
import './hung-job/main';
import './job-group/main';
import './quickstart/main';
import './blog/main';
import './code-bundle/main';
import './migrate/main';
import './monitoring/main';
import './progress/main';
import './queue/main';
