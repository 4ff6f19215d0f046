type BullMq = typeof import('bullmq');

/** Classes that treat a job with invalid JSON as a job without data. BullMQ's own classes fetch it repeatedly. */
export function createLenientClasses({ Job, Queue, Worker }: BullMq): Pick<BullMq, 'Queue' | 'Worker'> {
  class LenientJob extends Job {
    static override fromJSON: typeof Job.fromJSON = (queue, json, id) =>
      super.fromJSON(queue, isJson(json.data) ? json : { ...json, data: 'null' }, id);
  }
  class LenientQueue extends Queue {
    protected override get Job(): typeof Job {
      return LenientJob as typeof Job;
    }
  }
  class LenientWorker extends Worker {
    protected override get Job(): typeof Job {
      return LenientJob as typeof Job;
    }
  }
  return { Queue: LenientQueue as typeof Queue, Worker: LenientWorker as typeof Worker };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
