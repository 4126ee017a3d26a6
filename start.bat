@echo off
rem Utatane on Windows: double-click. Needs nothing but Python 3.11 or newer.
chcp 65001 >nul
cd /d "%~dp0"
where py >nul 2>nul && (set "PYTHON=py -3") || (set "PYTHON=python")
%PYTHON% install.py || (pause & exit /b 1)
.venv\Scripts\python.exe app.py serve %* || pause
