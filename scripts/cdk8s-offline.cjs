#!/usr/bin/env node
'use strict';

/** The `cdk8s` command without its check for a newer version, which would go to the network. Linked as `cdk8s` by prepare.mjs. */
const path = require('node:path');

process.env.CDK8S_CHECK_UPGRADE ??= 'false';
// cdk8s-cli exports no path to its command, so it is found beside its package.json.
require(path.join(path.dirname(require.resolve('cdk8s-cli/package.json')), 'bin', 'cdk8s'));
