import * as z from 'zod';
import { checkWith } from '../records/schema.js';
import type { Check } from '../types.js';
import type { KeyAccess } from './key-access.js';

const access = z.looseObject({
  exchange: z.string(),
  accessType: z.string().nullish(),
  from: z.string().nullish(),
  to: z.string().nullish(),
  symbols: z.array(z.string()).nullish(),
  dataPlan: z.string().nullish(),
});

export const checkKeyInfo: Check<readonly KeyAccess[]> = checkWith(z.array(access));
