const ACCOUNT = { $ref: '#/components/schemas/Account' };

const name = { type: ['string', 'null'], minLength: 1, maxLength: 100 };
const key = {
  type: 'object',
  required: ['id', 'lastFour', 'active'],
  properties: { id: { type: 'string' }, lastFour: { type: 'string' }, active: { type: 'boolean' } },
};
const day = (parameter: string, description: string): object => ({
  name: parameter,
  in: 'query',
  description,
  required: parameter === 'from',
  schema: { type: 'string', format: 'date' },
});

function createResponse(description: string, schema: object): object {
  return { description, content: { 'application/json': { schema } } };
}

const ERRORS = {
  '400': createResponse('The request is wrong', { $ref: '#/components/schemas/Error' }),
  '401': createResponse('No valid access token', { $ref: '#/components/schemas/Error' }),
};

/** The OpenAPI 3.1.0 description of the account operations. @param origin origin of the metadata host. */
export function createOpenApiDocument(origin: string): object {
  return {
    openapi: '3.1.0',
    info: { title: 'Account API', version: '1.0.0' },
    servers: [{ url: origin }],
    security: [{ accessToken: [] }],
    paths: {
      '/v1/account': {
        post: {
          operationId: 'createAccount',
          summary: 'Create the account, or return the existing one',
          responses: {
            '200': createResponse('The account exists', ACCOUNT),
            '201': createResponse('The account is new', ACCOUNT),
            ...ERRORS,
          },
        },
        get: {
          operationId: 'getAccount',
          summary: 'Show the account',
          responses: { '200': createResponse('The account', ACCOUNT), ...ERRORS },
        },
        patch: {
          operationId: 'updateAccount',
          summary: 'Change the account',
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  additionalProperties: false,
                  required: ['name'],
                  properties: { name },
                },
              },
            },
          },
          responses: { '200': createResponse('The changed account', ACCOUNT), ...ERRORS },
        },
      },
      '/v1/account/api-keys': {
        get: {
          operationId: 'listApiKeys',
          summary: 'List the API keys, without the keys themselves',
          parameters: [{ name: 'active', in: 'query', schema: { type: 'boolean' } }],
          responses: { '200': createResponse('The keys', { type: 'array', items: key }), ...ERRORS },
        },
      },
      '/v1/account/api-keys/{keyId}': {
        parameters: [
          { name: 'keyId', in: 'path', required: true, schema: { type: 'string', pattern: '^key_[0-9]+$' } },
        ],
        delete: {
          operationId: 'deactivateApiKey',
          summary: 'Deactivate an API key',
          responses: { '204': { description: 'The key is inactive' }, ...ERRORS },
        },
      },
      '/v1/account/usage': {
        get: {
          operationId: 'getUsage',
          summary: 'Data transfer of a span of UTC days',
          parameters: [
            day('from', 'first UTC day'),
            day('to', 'UTC day after the last one; default: tomorrow'),
          ],
          responses: {
            '200': createResponse('Bytes of each day', {
              type: 'array',
              items: {
                type: 'object',
                required: ['date', 'bytes'],
                properties: { date: { type: 'string', format: 'date' }, bytes: { type: 'integer' } },
              },
            }),
            ...ERRORS,
          },
        },
      },
    },
    components: {
      securitySchemes: { accessToken: { type: 'http', scheme: 'bearer' } },
      schemas: {
        Account: {
          type: 'object',
          required: ['id', 'email', 'createdAt'],
          properties: {
            id: { type: 'string' },
            email: { type: 'string', format: 'email' },
            createdAt: { type: 'string', format: 'date-time' },
            name,
            subscription: { type: 'object' },
            apiKeys: { type: 'array', items: key },
          },
        },
        Error: {
          type: 'object',
          required: ['code', 'message'],
          properties: { code: { type: 'string' }, message: { type: 'string' } },
        },
      },
    },
  };
}
