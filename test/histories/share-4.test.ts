import { defineShare } from './support/share';

defineShare(3);
