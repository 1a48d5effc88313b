import { defineShare } from './support/share';

defineShare(1);
