import { createHash } from 'node:crypto';
import { LruMap } from '../archive/lru-map.js';

/** The account resource. Its fields are invented, since the service does not document them. */
export interface Account {
  readonly id: string;
  readonly email: string;
  readonly createdAt: string;
  readonly name: string | null;
  readonly subscription: { readonly type: string; readonly billingInterval: string };
  readonly apiKeys: readonly AccountKey[];
}

/** An API key as its account lists it, without the key itself. */
export interface AccountKey {
  readonly id: string;
  readonly lastFour: string;
  readonly active: boolean;
}

/** All accounts, in memory. */
export class Accounts {
  readonly #byEmail = new LruMap<Account>();

  find(email: string): Account | undefined {
    return this.#byEmail.get(email);
  }

  create(email: string): Account {
    const id = createHash('sha256').update(email).digest('hex').slice(0, 24);
    const account: Account = {
      id: `acc_${id}`,
      email,
      createdAt: new Date().toISOString(),
      name: null,
      subscription: { type: 'Business', billingInterval: 'Monthly' },
      apiKeys: [
        { id: 'key_1', lastFour: '-key', active: true },
        { id: 'key_2', lastFour: '7f3a', active: true },
      ],
    };
    return this.update(account);
  }

  update(account: Account): Account {
    this.#byEmail.set(account.email, account);
    return account;
  }
}
