# A month of day files every morning: one plan, then 20 shards of it, in a folder that all workers see.
# Airflow 2.9 and later, with the provider "standard", which is a part of Airflow 3.
from datetime import datetime, timedelta

from airflow import DAG
from airflow.exceptions import AirflowException, AirflowFailException
from airflow.providers.standard.operators.bash import BashOperator

SHARDS = 20
# A bug, a wrong flag, a refused key, a full disk. Everything else is retried.
WILL_FAIL_AGAIN = {1, 2, 4, 8}


class TickhaulOperator(BashOperator):
    """A BashOperator that knows the exit codes."""

    def execute(self, context):
        command = ["bash", "-c", self.bash_command]
        code = self.subprocess_hook.run_command(command, env=self.get_env(context)).exit_code
        if code in WILL_FAIL_AGAIN:
            raise AirflowFailException(f"tickhaul ended with {code}: another try would too")
        if code != 0:
            raise AirflowException(f"tickhaul ended with {code}")


with DAG(
    "tickhaul",
    schedule="15 6 * * *",
    start_date=datetime(2024, 1, 1),
    catchup=False,
    # The next run writes the plan again.
    max_active_runs=1,
    default_args={"retries": 5, "retry_delay": timedelta(minutes=10)},
):
    plan = TickhaulOperator(
        task_id="plan",
        bash_command='exec tickhaul plan binance-futures -t trades -s "*USDT" --last 30d --layout hive'
        " --pin /shared/plan.json",
    )
    shards = TickhaulOperator.partial(
        task_id="shard",
        bash_command='exec tickhaul download --pinned /shared/plan.json --shard "$SHARD" --dir /shared/data',
        append_env=True,
        max_active_tis_per_dag=10,
    ).expand(
        env=[
            {"SHARD": f"{index}/{SHARDS}", "TICKHAUL_API_KEY_FILE": "/etc/tickhaul/key"}
            for index in range(SHARDS)
        ]
    )
    plan >> shards
