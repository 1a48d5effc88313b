/**
 * How long synth takes: jobs as typed constructs with all checks, the same objects as untyped ones of cdk8s, and `kubectl kustomize` over the same YAML.
 *
 *     npm run bench:synth                      100, 1,000 and 10,000 jobs, medians of five; writes the table of docs/performance.md
 *     npm run bench:synth -- --jobs 1000       this number alone; docs/performance.md stays as it is
 *
 * The two kinds of programs take turns, so that a slow minute meets both. All three make the same text.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { ApiObject, App, Chart, YamlOutputType } from 'cdk8s';
import { parseAllDocuments } from 'yaml';
import { findKubectl } from './kubectl';
import { CpuResources, Framework, Retry, TrainingJob } from '../../src';
