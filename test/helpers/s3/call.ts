/** A request to an S3-compatible store. */
export interface StoreCall {
  readonly operation:
    | 'AbortMultipartUpload'
    | 'CompleteMultipartUpload'
    | 'CreateMultipartUpload'
    | 'DeleteObject'
    | 'DeleteObjects'
    | 'GetObject'
    | 'HeadBucket'
    | 'HeadObject'
    | 'ListMultipartUploads'
    | 'ListObjectsV2'
    | 'PutObject'
    | 'UploadPart'
    | 'other';
  /** Without the bucket; empty if the request is for the bucket. */
  readonly key: string;
}

/** The operation of a path-style request. */
export function parseStoreCall(method = '', url = ''): StoreCall {
  const { pathname, searchParams: query } = new URL(url, 'http://store');
  const [, , ...rest] = pathname.split('/');
  const key = decodeURIComponent(rest.join('/'));
  return { operation: operationOf(method, key !== '', query), key };
}

function operationOf(method: string, isOfObject: boolean, query: URLSearchParams): StoreCall['operation'] {
  const has = (name: string): boolean => query.has(name);
  switch (`${method} ${isOfObject ? 'object' : 'bucket'}`) {
    case 'PUT object':
      return has('partNumber') ? 'UploadPart' : 'PutObject';
    case 'POST object':
      return has('uploads') ? 'CreateMultipartUpload' : 'CompleteMultipartUpload';
    case 'DELETE object':
      return has('uploadId') ? 'AbortMultipartUpload' : 'DeleteObject';
    case 'GET object':
      return 'GetObject';
    case 'HEAD object':
      return 'HeadObject';
    case 'HEAD bucket':
      return 'HeadBucket';
    case 'POST bucket':
      return has('delete') ? 'DeleteObjects' : 'other';
    case 'GET bucket':
      if (has('uploads')) return 'ListMultipartUploads';
      return has('list-type') ? 'ListObjectsV2' : 'other';
    default:
      return 'other';
  }
}
