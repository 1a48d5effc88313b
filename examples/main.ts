import { App } from 'cdk8s';

/** The app that `npx cdk8s synth` at the root runs: every example adds its charts here. */
const app = new App();

app.synth();
