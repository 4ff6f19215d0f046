import * as z from 'zod';
import { createParser } from '../records/record-schema.js';
import type { ParseResponse } from '../service-config.js';
import type { KeyAccess } from './key-access.js';

const access = z.looseObject({
  exchange: z.string(),
  accessType: z.string().nullish(),
  from: z.string().nullish(),
  to: z.string().nullish(),
  symbols: z.array(z.string()).nullish(),
  dataPlan: z.string().nullish(),
});

export const parseKeyInfo: ParseResponse<readonly KeyAccess[]> = createParser(z.array(access));
