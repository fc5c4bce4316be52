# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Whole programs of GoogleTest as one test of ctest: to start a process takes longer than most tests take.
# Each writes down what became of its tests: scripts/test_report.py counts and names them.
#
# PROCESSORS counts quarters of a core (scripts/test.sh). Most tests of GoogleTest wait half of the time, for
# silence or for another process, so each has 2. One that waits nearly all the time has 1, one that computes
# all the time, or measures, has 4.
set(datum_usual_quarters 2)

# datum_add_program_test(NAME COMMAND...). Of the name the report takes what ends with the last `/` or `.`
# as the prefix of the single tests, as elsewhere.
function(datum_add_program_test name)
  set(filter)
  if(datum_left_out)
    set(filter --gtest_filter=-${datum_left_out})
  endif()
  # What ctest itself would find, if it came first: a target's program.
  set(command ${ARGN})
  list(POP_FRONT command program)
  if(datum_program_launcher AND TARGET ${program})
    set(program $<TARGET_FILE:${program}>)
  endif()
  add_test(NAME ${name} COMMAND ${datum_program_launcher} ${program} ${command} ${filter} --gtest_brief=1
           --gtest_output=xml:${CMAKE_BINARY_DIR}/program-results/${name}.xml)
  set_tests_properties(${name} PROPERTIES PROCESSORS ${datum_usual_quarters})
  if(name IN_LIST datum_programs_left_out)
    set_tests_properties(${name} PROPERTIES DISABLED TRUE)
  endif()
endfunction()

# datum_discover_whole(TARGET ...): what gtest_discover_tests takes. For programs of many short tests that
# leave nothing behind in their process.
function(datum_discover_whole target)
  cmake_parse_arguments(given "NO_PRETTY_VALUES" "TEST_PREFIX;DISCOVERY_MODE;DISCOVERY_TIMEOUT"
                        "EXTRA_ARGS;PROPERTIES" ${ARGN})
  set(name ${given_TEST_PREFIX}${target})
  datum_add_program_test(${name} ${target} ${given_EXTRA_ARGS})
  if(given_PROPERTIES)
    set_tests_properties(${name} PROPERTIES ${given_PROPERTIES})
  endif()
  # Among the longest: they would run alone at the end. Those that want a whole core find it only at the
  # beginning, since others take what becomes free.
  set_tests_properties(${name} PROPERTIES TIMEOUT ${datum_program_timeout} COST 100)
  if(given_PROPERTIES MATCHES "PROCESSORS")
    set_tests_properties(${name} PROPERTIES COST 1000)
  endif()
endfunction()

# datum_discover_tests(TARGET ...): takes what gtest_discover_tests takes. Each test of the program is one of ctest, or
# all together are one (datum_whole_programs). What datum_left_out names does not run.
function(datum_discover_tests target)
  if(datum_whole_programs AND NOT target IN_LIST datum_each_alone)
    datum_discover_whole(${target} ${ARGN})
    return()
  endif()
  set(filter)
  if(datum_left_out)
    set(filter TEST_FILTER -${datum_left_out})
  endif()
  # Of a property that is given twice the last value counts.
  gtest_discover_tests(${target} ${filter} PROPERTIES PROCESSORS ${datum_usual_quarters} ${ARGN})
endfunction()
