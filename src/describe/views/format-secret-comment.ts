import type { StoreSettings } from '../../store/files.js';
import { quoteText } from './quote-sql.js';

/**
 * A comment with the statements that give DuckDB access to an object store. They are no part of the SQL, since they
 * load extensions from the network and change the session.
 * @param root location of the folder.
 */
export function formatSecretComment(
  root: string,
  { endpoint, region, pathStyle }: Pick<StoreSettings, 'endpoint' | 'region' | 'pathStyle'>,
): string {
  const url = endpoint === undefined ? undefined : new URL(endpoint);
  const settings = [
    'TYPE s3',
    'PROVIDER credential_chain',
    `SCOPE ${quoteText(root)}`,
    ...(region === undefined ? [] : [`REGION ${quoteText(region)}`]),
    ...(url ? [`ENDPOINT ${quoteText(url.host)}`] : []),
    ...(url?.protocol === 'http:' ? ['USE_SSL false'] : []),
    // Stores other than Amazon's have path-style addresses, even if some have the others too.
    ...(pathStyle || url ? ["URL_STYLE 'path'"] : []),
  ];
  return [
    '-- DuckDB needs access to the object store before it can create the views:',
    '-- INSTALL httpfs; LOAD httpfs; INSTALL aws; LOAD aws;',
    `-- CREATE OR REPLACE SECRET tickhaul (${settings.join(', ')});`,
    '',
  ].join('\n');
}
