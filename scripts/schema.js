// Writes docs/tickhaul.schema.json, the JSON Schema of the config file, from the schema that reads it.
import { writeFile } from 'node:fs/promises';
import { configJsonSchema } from '../dist/src/options/config-schema.js';

const path = new URL('../docs/tickhaul.schema.json', import.meta.url);
await writeFile(path, `${JSON.stringify(configJsonSchema(), undefined, 2)}\n`);
