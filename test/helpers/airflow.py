"""Stands for Airflow: runs each task of a DAG's file once, in their order, and prints what Airflow would make of it."""

import os
import runpy
import subprocess
import sys
from collections import namedtuple
from types import ModuleType


class AirflowException(Exception):
    """The task failed, and is tried again as often as its retries say."""


class AirflowFailException(AirflowException):
    """It failed, and is not tried again."""


class DAG:
    def __init__(self, dag_id, **settings):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass


class SubprocessHook:
    def run_command(self, command, env=None):
        code = subprocess.run(command, env=env, stdout=sys.stderr).returncode
        return namedtuple("SubprocessResult", "exit_code")(code)


TASKS = []


class BashOperator:
    subprocess_hook = SubprocessHook()

    def __init__(self, *, task_id, bash_command, env=None, append_env=False, max_active_tis_per_dag=None):
        self.task_id, self.bash_command, self.env, self.append_env = task_id, bash_command, env, append_env
        TASKS.append(self)

    def get_env(self, context):
        if self.env is None:
            return os.environ
        return {**os.environ, **self.env} if self.append_env else self.env

    @classmethod
    def partial(cls, **same):
        return Mapped(cls, same)

    def __rshift__(self, later):
        return later


class Mapped:
    def __init__(self, operator, same):
        self.operator, self.same = operator, same

    def expand(self, env):
        return [self.operator(**self.same, env=one) for one in env]


def stand_for(name, **members):
    sys.modules[name] = ModuleType(name)
    vars(sys.modules[name]).update(members)


stand_for("airflow", DAG=DAG)
stand_for("airflow.exceptions", AirflowException=AirflowException, AirflowFailException=AirflowFailException)
for package in ("airflow.providers", "airflow.providers.standard", "airflow.providers.standard.operators"):
    stand_for(package)
stand_for("airflow.providers.standard.operators.bash", BashOperator=BashOperator)

runpy.run_path(sys.argv[1])
for task in TASKS:
    try:
        task.execute({})
        print(task.task_id, "success")
    except AirflowFailException:
        print(task.task_id, "failed")
    except AirflowException:
        print(task.task_id, "again")
