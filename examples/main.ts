/** Every example, for `npx cdk8s synth` at the root: each is a program of its own and writes its chart's file into the same folder. */
import './operator/main';
import './quickstart/main';
import './blog/main';
